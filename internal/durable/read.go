package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

var (
	// ErrNoFile is returned if something other than a regular file is at a path, such as a
	// pipe, a device or a folder; by the Plain functions also for a symbolic link.
	ErrNoFile = errors.New("not a regular file")
	// ErrLeadsOut is returned if a link above a path leads out of its repository.
	ErrLeadsOut = errors.New("leads out of the repository")
	// ErrTooLong is returned if a file is longer than the reader's limit.
	ErrTooLong = errors.New("too long")
)

// Open opens the regular file at path, which may be a link to it. It never waits: a pipe
// without a writer would block the reader forever. Where a file cannot be opened while
// another process replaces it (Windows), it tries again for about a second.
func Open(path string) (*os.File, error) { return openFile(path, false) }

// OpenPlain is Open for a file in a folder of somebody else, such as a worktree: it does
// not follow a link at path, because the owner of the folder chose the target.
func OpenPlain(path string) (*os.File, error) { return openFile(path, true) }

// Read returns the content of the regular file at path, which may be a link to it;
// ErrTooLong if it is longer than limit bytes.
func Read(path string, limit int64) ([]byte, error) { return readFile(path, false, limit) }

// ownMax is more than a file of this program's ever has.
const ownMax = 1 << 30

// ReadOwn is Read for a file of this program's in a folder that only the user can write.
func ReadOwn(path string) ([]byte, error) { return readFile(path, false, ownMax) }

// OpenOwn is os.OpenFile for a file of this program's in such a folder: it opens regular files only, and never waits.
// It creates the file (mode 0600) if flag says so.
func OpenOwn(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|noWait, 0o600)
	if noReader(err) {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNoFile}
	}
	if err != nil {
		return nil, err
	}
	return onlyRegular(f)
}

// ReadPlain is Read, but opens the file like OpenPlain.
func ReadPlain(path string, limit int64) ([]byte, error) {
	return readFile(path, true, limit)
}

// ReadWithin is ReadPlain for a file below the folder dir; name has slashes. It follows
// links above the file that stay within the folder.
func ReadWithin(dir, name string, limit int64) ([]byte, error) {
	path, err := Within(dir, name)
	if err != nil {
		return nil, err
	}
	return ReadPlain(path, limit)
}

// Within returns the path of name, with slashes, below the folder dir after following the
// links above it. It returns an error for a link that leads out of the folder, because a
// repository could point it anywhere. The file itself may be missing.
func Within(dir, name string) (string, error) {
	path := filepath.Join(dir, filepath.FromSlash(name))
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if real, err = filepath.EvalSymlinks(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			real, err = filepath.Dir(path), nil
		}
		real = filepath.Join(real, filepath.Base(path))
		if _, lerr := os.Lstat(path); lerr == nil {
			return "", fmt.Errorf("%s is a symbolic link to nothing: %w", name, fs.ErrNotExist)
		}
	}
	if err != nil {
		if pe := (*fs.PathError)(nil); !errors.As(err, &pe) { // links in a cycle
			err = fmt.Errorf("%s %w to itself", name, ErrThroughLink)
		}
		return "", err
	}
	if rel, err := filepath.Rel(dir, real); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s %w, to %s", name, ErrLeadsOut, real)
	}
	return real, nil
}

func openFile(path string, plain bool) (*os.File, error) {
	var f *os.File
	err := here().patiently(func() (err error) {
		f, err = openNow(path, plain)
		return err
	})
	if err != nil {
		return nil, err
	}
	return onlyRegular(f)
}

// onlyRegular returns f, or closes it and returns ErrNoFile if it is no regular file.
func onlyRegular(f *os.File) (*os.File, error) {
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: ErrNoFile}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readFile reads no more than the limit, whatever size the system reports: some files that
// count as regular report none.
func readFile(path string, plain bool, limit int64) ([]byte, error) {
	f, err := openFile(path, plain)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if fi.Size() > limit {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrTooLong}
	}
	data := bytes.NewBuffer(make([]byte, 0, fi.Size()+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	if int64(data.Len()) > limit {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrTooLong}
	}
	return data.Bytes(), nil
}
