package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"entire/internal/durable"
)

// The modes of a FileSnapshot. They reach disk.
const (
	modeFile   = "0100644"
	modeLink   = "0120000"
	modeFolder = "040000"
)

// readTries is how often a file that changes during a read is read again.
const readTries = 5

var (
	errFolder        = errors.New("is a folder")
	errSpecial       = errors.New("is neither a file, a link nor a folder")
	errOwnStore      = errors.New("belongs to the session's own store")
	errKeepsChanging = errors.New("changes all the time")
	errChangedNow    = errors.New("changed while it was read")
)

// pathState says what stands at a path.
type pathState struct {
	info fs.FileInfo // nil if nothing stands there
	// reached is the deepest existing folder on the way, "" for the session's folder.
	reached string
	// blocker says what stands in the place of the next folder: durable.ErrInTheWay,
	// durable.ErrThroughLink, or nil for nothing and for a complete way.
	blocker error
}

// lookAt finds out what stands at path. If do is not nil, look calls it while the folder that
// holds the path is open.
func (w *fileOperation) lookAt(path string, do func(dir *os.Root, base string, info fs.FileInfo) error) (pathState, error) {
	way, err := w.tree.Reach(path)
	if way == nil {
		return pathState{}, err
	}
	defer way.Close()
	at := pathState{reached: strings.Join(way.Names[:len(way.Dirs)-1], "/")}
	for _, dir := range way.Dirs {
		if info, err := dir.Stat("."); err != nil {
			return at, err
		} else if os.SameFile(info, w.storeInfo) {
			return at, errOwnStore
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return at, nil
	case errors.Is(err, durable.ErrInTheWay), errors.Is(err, durable.ErrThroughLink):
		at.blocker = err
		return at, nil
	case err != nil:
		return at, err
	}
	at.info, err = way.Dir().Lstat(way.Base)
	if errors.Is(err, fs.ErrNotExist) {
		return pathState{reached: at.reached}, nil
	}
	if err == nil && os.SameFile(at.info, w.storeInfo) {
		return at, errOwnStore
	}
	if err == nil && do != nil {
		err = do(way.Dir(), way.Base, at.info)
	}
	return at, err
}

// snapshot describes what stands at path and, if keep is set, stores its content. A path beyond
// a file or a link counts as absent; the caller looks at found.on.
func (w *fileOperation) snapshot(ctx context.Context, path string, keep bool) (FileSnapshot, pathState, error) {
	for range readTries {
		snap := FileSnapshot{Path: path}
		at, err := w.lookAt(path, func(dir *os.Root, base string, info fs.FileInfo) (err error) {
			snap, err = w.snapshotAt(ctx, dir, base, info, keep)
			snap.Path = path
			return err
		})
		if !errors.Is(err, errChangedNow) && !errors.Is(err, fs.ErrNotExist) {
			return snap, at, err
		}
		if err := ctx.Err(); err != nil {
			return snap, at, err
		}
	}
	return FileSnapshot{}, pathState{}, errKeepsChanging
}

func (w *fileOperation) snapshotAt(ctx context.Context, dir *os.Root, base string, info fs.FileInfo, keep bool) (FileSnapshot, error) {
	snap := FileSnapshot{Exists: true, Mode: fmt.Sprintf("0%o", 0o100000|info.Mode().Perm())}
	switch {
	case info.IsDir():
		snap.Mode = modeFolder
		return snap, nil
	case info.Mode()&fs.ModeSymlink != 0:
		snap.Mode = modeLink
	case !info.Mode().IsRegular():
		return snap, errSpecial
	}
	f, err := durable.Place{Dir: dir, Name: base}.Open(info)
	if err != nil {
		return snap, err
	}
	defer f.Close()
	if snap.Hash, snap.Size, err = hashOf(ctx, f); err == nil && keep {
		if _, err = f.Seek(0, io.SeekStart); err == nil {
			err = w.keepBlob(snap.Hash, snap.Size, &contextReader{ctx, f})
		}
	}
	if err != nil {
		return snap, err
	}
	return snap, unchanged(dir, base, info)
}

// unchanged returns an error unless the file that was read is still there with the same size,
// mode and time.
func unchanged(dir *os.Root, base string, was fs.FileInfo) error {
	now, err := dir.Lstat(base)
	if err != nil {
		return err
	}
	if !sameStat(was, now) {
		return errChangedNow
	}
	return nil
}

func sameStat(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.Mode() == b.Mode() && a.ModTime().Equal(b.ModTime())
}

// hashOf returns the hash of a content and its length.
func hashOf(ctx context.Context, r io.Reader) (string, int64, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, &contextReader{ctx, r})
	return hex.EncodeToString(sum.Sum(nil)), n, err
}

// contextReader is a reader that stops when the context is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (p *contextReader) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.r.Read(b)
}
