package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"entire/internal/durable"
)

// ErrChanged is returned, wrapped with the path, by [Worktree.Swap] and [Worktree.Take] if
// something else than expected is at the path. It stays there.
var ErrChanged = errors.New("changed meanwhile")

// ErrFolderStays is returned, wrapped with the path, by [Worktree.Take] if everything is
// done except that a folder, now empty, could not be removed.
var ErrFolderStays = errors.New("the folder, empty now, could not be removed")

// errInTheWay is returned, wrapped with the path, by [Worktree.Swap] if a folder that is
// not empty is there.
var errInTheWay = errors.New("a folder is in the way")

// Occupied reports whether err means that a file, folder or link of somebody else is at
// the path, or at a folder above it.
func Occupied(err error) bool {
	return errors.Is(err, errInTheWay) || errors.Is(err, durable.ErrInTheWay) || errors.Is(err, ErrThroughLink)
}

// Swap moves the file or link at the absolute path from to path, and what was there to the
// absolute path aside, in one step if the system can. It creates missing folders and
// replaces an empty folder at path.
//
// It calls expect with what is at path, nil for nothing, and again with what it moved
// aside: a file that appeared in between is put back, and nothing is lost. from and aside
// may be on another file system than the worktree; then files are copied with their mode
// and time.
func (w *Worktree) Swap(path, from, aside string, expect func(fs.FileInfo) bool) error {
	way, err := w.tree.Walk(path, true)
	if err != nil {
		return at("place", path, err)
	}
	defer way.Close()
	dir, base := way.Dir(), way.Base
	if fi, err := os.Lstat(from); err != nil {
		return at("place", path, err)
	} else if fileMode(fi) == 0 {
		return at("place", path, errors.New("staged is "+kindOf(fi)))
	}
	old, err := standing(dir, base)
	if err != nil {
		return at("place", path, err)
	}
	if !expect(old) {
		return at("place", path, ErrChanged)
	}
	if old == nil {
		return at("place", path, create(dir, base, from))
	}
	return at("place", path, exchange(dir, base, from, aside, expect))
}

// standing returns what is at base, nil for nothing. It removes an empty folder.
func standing(dir *os.Root, base string) (fs.FileInfo, error) {
	fi, err := dir.Lstat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case fi.IsDir():
		if durable.RemoveDir(dir, base) != nil {
			return nil, errInTheWay
		}
		return nil, nil
	}
	return fi, nil
}

// create moves from to base, where nothing may be.
func create(dir *os.Root, base, from string) error {
	err := durable.RenameNew(from, dir, base)
	if durable.CrossDevice(err) {
		return copyOver(dir, base, from)
	}
	if errors.Is(err, fs.ErrExist) {
		return ErrChanged
	}
	return err
}

func exchange(dir *os.Root, base, from, aside string, expect func(fs.FileInfo) bool) error {
	err := durable.Exchange(from, dir, base)
	if durable.NoExchange(err) {
		return replaceKeeping(dir, base, from, aside, expect)
	}
	if err != nil {
		return err
	}
	if fi, err := os.Lstat(from); err != nil || !expect(fi) {
		if err == nil {
			err = ErrChanged
		}
		return errors.Join(err, durable.Exchange(from, dir, base))
	}
	return os.Rename(from, aside)
}

// replaceKeeping is exchange for systems without such a call: what is at base first gets a
// second name, or is copied.
func replaceKeeping(dir *os.Root, base, from, aside string, expect func(fs.FileInfo) bool) error {
	if err := keep(dir, base, aside); err != nil {
		return err
	}
	fi, err := os.Lstat(aside)
	if err == nil && !expect(fi) {
		err = ErrChanged
	}
	if err == nil {
		if err = durable.RenameInto(from, dir, base); durable.CrossDevice(err) {
			err = copyOver(dir, base, from)
		}
	}
	if err != nil {
		return errors.Join(err, os.Remove(aside))
	}
	return nil
}

// keep makes aside a second name of the file or link base or, if that fails, a copy.
func keep(dir *os.Root, base, aside string) error {
	if err := os.Remove(aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // an incomplete copy
	}
	if durable.LinkOut(dir, base, aside) == nil {
		return nil
	}
	return copyOut(dir, base, aside)
}

// Take moves the file or link at path to the absolute path aside, then removes the folders
// above it that are now empty, except the first stay of them. It calls expect like
// [Worktree.Swap]; if nothing is expected and nothing is there, it only removes the
// folders.
func (w *Worktree) Take(path, aside string, stay int, expect func(fs.FileInfo) bool) error {
	way, err := w.tree.Walk(path, false)
	if err = missing(err); errors.Is(err, fs.ErrNotExist) && expect(nil) {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrChanged
	}
	if err != nil {
		return at("remove", path, err)
	}
	defer way.Close()
	if err := takeFile(way.Dir(), way.Base, aside, expect); err != nil {
		return at("remove", path, err)
	}
	return prune(way, stay)
}

// Prune removes the empty folders above path, except the first stay of them. Folders that
// are missing or cannot be reached are no error.
func (w *Worktree) Prune(path string, stay int) error {
	way, err := w.tree.Reach(path)
	if way == nil {
		return at("remove the folders above", path, err)
	}
	defer way.Close()
	return prune(way, stay)
}

func prune(way *durable.Way, stay int) error {
	for i := len(way.Dirs) - 1; i > stay; i-- {
		err := durable.RemoveDir(way.Dirs[i-1], way.Names[i-1])
		switch {
		case err == nil, errors.Is(err, fs.ErrNotExist):
		case durable.NotEmpty(err):
			return nil
		default:
			return at("remove", strings.Join(way.Names[:i], "/"), fmt.Errorf("%w: %w", ErrFolderStays, err))
		}
	}
	return nil
}

func takeFile(dir *os.Root, base, aside string, expect func(fs.FileInfo) bool) error {
	fi, err := dir.Lstat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist) && expect(nil):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return ErrChanged
	case err != nil:
		return err
	case fi.IsDir():
		return errors.New("is a folder")
	case !expect(fi):
		return ErrChanged
	}
	return take(dir, base, aside, expect)
}

func take(dir *os.Root, base, aside string, expect func(fs.FileInfo) bool) error {
	err := durable.RenameOut(dir, base, aside)
	if durable.CrossDevice(err) {
		if err := copyOut(dir, base, aside); err != nil {
			return err
		}
		return durable.RemoveFile(dir, base)
	}
	if err != nil {
		return err
	}
	if fi, err := os.Lstat(aside); err != nil || !expect(fi) {
		if err == nil {
			err = ErrChanged
		}
		return errors.Join(err, durable.RenameNew(aside, dir, base))
	}
	return nil
}
