package worktree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"entire/internal/durable"
	"entire/internal/git/object"
)

// ErrThroughLink is returned, wrapped with the path, by [Worktree] methods if a folder
// above the path is a symbolic link.
var ErrThroughLink = durable.ErrThroughLink

// Worktree reads, places and removes files below the top of a worktree, as a
// [durable.Tree]: no symbolic link leads a write elsewhere, and `.git` in any spelling is
// an error. Paths are git's: relative to the top, with forward slashes. A path that cannot
// exist on this system is an error of that path only.
type Worktree struct{ tree *durable.Tree }

// Open opens the worktree whose top is the given folder.
func Open(top string) (*Worktree, error) {
	tree, err := durable.OpenTree(top)
	if err != nil {
		return nil, fmt.Errorf("open worktree: %w", err)
	}
	return &Worktree{tree}, nil
}

// Close releases the worktree.
func (w *Worktree) Close() error { return w.tree.Close() }

// Lstat describes what is at path, without following a link there. The error is
// fs.ErrNotExist also if a folder above path is missing or is a file.
func (w *Worktree) Lstat(path string) (fs.FileInfo, error) {
	way, err := w.tree.Walk(path, false)
	if err != nil {
		return nil, at("look at", path, missing(err))
	}
	defer way.Close()
	fi, err := way.Dir().Lstat(way.Base)
	return fi, at("look at", path, err)
}

// Read returns the content of the file at path, or the target of the link there, and the
// mode that git would give it.
func (w *Worktree) Read(path string) ([]byte, uint32, error) {
	f, mode, err := w.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return data, mode, at("read", path, err)
}

// Open is Read as a stream. It returns an error for anything but a regular file or a link.
func (w *Worktree) Open(path string) (io.ReadCloser, uint32, error) {
	way, err := w.tree.Walk(path, false)
	if err != nil {
		return nil, 0, at("open", path, missing(err))
	}
	defer way.Close()
	fi, err := way.Place().Lstat()
	if err != nil {
		return nil, 0, at("open", path, err)
	}
	f, err := way.Place().Open(fi)
	return f, fileMode(fi), at("open", path, err)
}

// fileMode returns the mode that git gives to what fi describes; 0 for what git does not
// store.
func fileMode(fi fs.FileInfo) uint32 {
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		return object.ModeSymlink
	case !fi.Mode().IsRegular():
		return 0
	case fi.Mode()&0o111 != 0:
		return object.ModeExec
	}
	return object.ModeFile
}

// missing reports whether err means that nothing can be at the path, which includes a file
// in place of a folder above it.
func missing(err error) error {
	if errors.Is(err, durable.ErrInTheWay) {
		return fs.ErrNotExist
	}
	return err
}

// at adds the operation and path to err, once.
func at(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var pe *fs.PathError
	var le *os.LinkError
	var se *os.SyscallError
	switch {
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	case errors.As(err, &se):
		err = se.Err
	}
	return fmt.Errorf("%s %q: %w", op, object.Clip(path), err)
}
