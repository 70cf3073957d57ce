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
	// ErrNoFile: something other than a regular file is at a path, such as a pipe, a
	// device or a folder; for the Plain functions a symbolic link, too.
	ErrNoFile = errors.New("not a regular file")
	// ErrLeadsOut: a link on the way to a path leads out of the repository it is in.
	ErrLeadsOut = errors.New("leads out of the repository")
	// ErrTooLong: a file is longer than its reader takes.
	ErrTooLong = errors.New("too long")
)

// Open opens the regular file at path, which may be a link to it. It never waits: a
// pipe that nobody writes into would hold the reader for ever.
func Open(path string) (*os.File, error) { return openFile(path, false) }

// OpenPlain is Open for a file of somebody else's folder, such as a worktree: a link at
// path is not followed, because whoever made the folder chose where it leads.
func OpenPlain(path string) (*os.File, error) { return openFile(path, true) }

// Read returns the content of the regular file at path, which may be a link to it, of at
// most limit bytes.
func Read(path string, limit int64) ([]byte, error) { return readFile(path, false, limit) }

// ReadPlain is Read as OpenPlain opens.
func ReadPlain(path string, limit int64) ([]byte, error) {
	return readFile(path, true, limit)
}

// ReadWithin is ReadPlain of a file below the folder dir, name with slashes. Links on
// the way are followed as far as they stay in the folder.
func ReadWithin(dir, name string, limit int64) ([]byte, error) {
	path, err := Within(dir, name)
	if err != nil {
		return nil, err
	}
	return ReadPlain(path, limit)
}

// Within is the path that name, with slashes, means below the folder dir once the links
// on the way are followed. A link that leads out of the folder is refused, because a
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
		if pe := (*fs.PathError)(nil); !errors.As(err, &pe) { // links that lead to each other
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
	f, err := openNow(path, plain)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNoFile}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readFile reads no more than the limit, whatever size the system names: some files that
// are called regular have none.
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
	data := bytes.NewBuffer(make([]byte, 0, min(fi.Size(), limit)+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	if int64(data.Len()) > limit {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrTooLong}
	}
	return data.Bytes(), nil
}
