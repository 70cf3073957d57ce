package bodies

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire/internal/durable"
)

// A hook may store a body in the moment in which another process removes the same bytes, because nothing needs them. Each
// side first acts and then looks: Remove puts the body aside before it asks what the refs name, and the hook moves its ref
// before Settle looks for the body. So at least one of the two sees what the other did.

// Remove removes those of the named bodies from the folder that needed does not return, and reports how many. What is needed
// waits to be sent again, as the bucket may have lost it. needed is asked once, when all of them are put aside.
func (f *Folder) Remove(ctx context.Context, names []string, needed func() (map[string]Pointer, error)) (n int, err error) {
	if len(names) == 0 {
		return 0, nil
	}
	lock, err := durable.Acquire(ctx, filepath.Join(f.dir, leaving+".lock"))
	if err != nil {
		return 0, fmt.Errorf("lock the bodies to remove: %w", err)
	}
	defer lock.Release()
	if err := f.returnAll(); err != nil { // of a process that ended before it had looked
		return 0, err
	}
	for _, name := range names {
		for _, folder := range []string{kept, waiting} {
			if err := f.move(folder, leaving, name); err != nil {
				return 0, errors.Join(err, f.returnAll())
			}
		}
	}
	need, err := needed()
	if err != nil {
		return 0, errors.Join(err, f.returnAll())
	}
	for _, name := range names {
		if _, ok := need[name]; ok {
			err = errors.Join(err, f.move(leaving, waiting, name))
			continue
		}
		err = errors.Join(err, durable.Remove(f.path(leaving, name)))
		f.release(name)
		n++
	}
	return n, err
}

// move renames a body. It is no error if it is not there.
func (f *Folder) move(from, to, name string) error {
	if err := os.MkdirAll(f.path(to, ""), 0o700); err != nil {
		return err
	}
	if err := os.Rename(f.path(from, name), f.path(to, name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (f *Folder) returnAll() error {
	names, err := f.list(leaving)
	for name := range names {
		err = errors.Join(err, f.move(leaving, waiting, name))
	}
	return err
}

// mostHeld bounds how much a process holds. A body beyond it is safe for the day in which what waits and is new stays.
const mostHeld = 64 << 20

func (f *Folder) hold(name string, body []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held[name] != nil || f.size+len(body) > mostHeld {
		return
	}
	if f.held == nil {
		f.held = map[string][]byte{}
	}
	f.held[name] = body
	f.size += len(body)
}

func (f *Folder) release(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.size -= len(f.held[name])
	delete(f.held, name)
}

// Settle stores again those bodies of this process that another one has removed. It is called whenever a ref has moved that
// may name some of them.
func (f *Folder) Settle() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, body := range f.held {
		here := false
		for _, folder := range []string{waiting, kept} {
			if info, err := os.Stat(f.path(folder, name)); err == nil && info.Size() == int64(len(body)) {
				here = true
			}
		}
		if here {
			continue
		}
		if err := durable.WriteFile(f.path(waiting, name), body, 0o600); err != nil {
			return fmt.Errorf("store a body again: %w", err)
		}
	}
	return nil
}
