package durable

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

const (
	minPoll = time.Millisecond
	maxPoll = 10 * time.Millisecond
)

// ErrHeld is returned by AcquireWithin if another holder kept the lock.
var ErrHeld = errors.New("held by another process")

// Lock is an exclusive lock held on a lock file. It excludes other processes and other
// Locks of this process, and the system releases it when the process ends. It is advisory:
// it protects what its users agree on.
type Lock struct {
	f    *flock.Flock
	path string
}

// Acquire acquires the lock on the file at path and waits for it until ctx is done. It
// creates the file (mode 0600) and its directories (mode 0750) if needed. The file's
// content is not used, and the file stays after the release. If the wait ended without the
// lock, the error wraps ctx.Err().
func Acquire(ctx context.Context, path string) (*Lock, error) {
	if err := makeDir(filepath.Dir(path), false); err != nil {
		return nil, pathError("lock", path, err)
	}
	for wait := minPoll; ; wait = min(2*wait, maxPoll) {
		if err := ctx.Err(); err != nil {
			return nil, pathError("lock", path, err)
		}
		l, err := try(path)
		if err != nil {
			return nil, pathError("lock", path, err)
		}
		if l != nil {
			return l, nil
		}
		if err := Pause(ctx, wait); err != nil {
			return nil, pathError("lock", path, err)
		}
	}
}

// AcquireWithin is Acquire for callers without a context: it waits for about limit, and
// then returns an error that wraps ErrHeld.
func AcquireWithin(path string, limit time.Duration) (*Lock, error) {
	if err := makeDir(filepath.Dir(path), false); err != nil {
		return nil, pathError("lock", path, err)
	}
	for waited, wait := time.Duration(0), minPoll; ; wait = min(2*wait, maxPoll) {
		l, err := try(path)
		if err != nil {
			return nil, pathError("lock", path, err)
		}
		if l != nil {
			return l, nil
		}
		if waited >= limit {
			return nil, pathError("lock", path, ErrHeld)
		}
		time.Sleep(wait)
		waited += wait
	}
}

// Release releases the lock. Releasing twice, or releasing a nil Lock, does nothing.
func (l *Lock) Release() error {
	if l == nil || l.f == nil {
		return nil
	}
	f := l.f
	l.f = nil
	err := f.Close()
	if err != nil {
		err = f.Close() // a file that is not unlocked stays open, and this process would wait for itself
	}
	if err != nil {
		return pathError("unlock", l.path, err)
	}
	return nil
}

// Current reports whether the lock is held on the file that is at its path now. A lock on a deleted file excludes nobody.
func (l *Lock) Current() bool { return l != nil && l.f != nil && current(l.f, l.path) }

// Discard deletes the lock file and releases the lock, for when what it protected no
// longer exists. A waiter then locks a new file. If an open file cannot be deleted
// (Windows), the lock file stays.
func (l *Lock) Discard() error {
	if l == nil || l.f == nil {
		return nil
	}
	err := os.Remove(l.path)
	if errors.Is(err, fs.ErrNotExist) || runtime.GOOS == "windows" {
		err = nil
	}
	if rerr := l.Release(); err == nil {
		return rerr
	}
	return pathError("unlock", l.path, err)
}

// try returns nil without an error if another holder has the lock.
func try(path string) (*Lock, error) {
	f := flock.New(path, lockFlag)
	ok, err := f.TryLock()
	if err == nil && ok {
		err = regular(f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	if ok && current(f, path) {
		return &Lock{f: f, path: path}, nil
	}
	return nil, f.Close()
}

// lockFlag opens or creates a lock file without waiting for what else may be there.
var lockFlag = flock.SetFlag(os.O_CREATE | os.O_RDONLY | noWait)

// regular returns ErrNoFile for a lock on anything else than a regular file, such as a pipe.
func regular(f *flock.Flock) error {
	held, err := f.Stat()
	if err == nil && !held.Mode().IsRegular() {
		err = ErrNoFile
	}
	return err
}

// current reports whether the locked file is still the one at path: a lock on a deleted
// file excludes nobody.
func current(f *flock.Flock, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(held, now)
}
