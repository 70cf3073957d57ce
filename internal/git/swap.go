package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"entire/internal/durable"
)

// ErrChanged is returned, wrapped with the path, by [Worktree.Swap] and
// [Worktree.Take] when something else stands at the path than was expected. It
// is left there.
var ErrChanged = errors.New("changed meanwhile")

// ErrFolderStays is returned, wrapped with the path, by [Worktree.Take] when all is
// done, but a folder that is empty now could not be removed.
var ErrFolderStays = errors.New("the folder, empty now, could not be removed")

// ErrInTheWay is returned, wrapped with the path, by [Worktree.Swap] when a folder
// with something in it stands there.
var ErrInTheWay = errors.New("a folder is in the way")

// Occupied reports that somebody else's file, folder or link has the place of a
// path, or of a folder on the way to it.
func Occupied(err error) bool {
	return errors.Is(err, ErrInTheWay) || errors.Is(err, durable.ErrInTheWay) || errors.Is(err, ErrThroughLink)
}

// Swap moves the file or link at the absolute path from to path, and what stood
// there to the absolute path aside, in one step where the system can. Missing
// folders are made; an empty folder at path gives way.
//
// expect is asked about what stands at path, nil for nothing. It is asked again
// about what was moved aside: what somebody put there in between is put back,
// and nothing is lost. Another file system than the worktree's does for from and
// aside; files are copied then, with their mode and time.
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

// standing is what is at base, nil for nothing. An empty folder is removed.
func standing(dir *os.Root, base string) (fs.FileInfo, error) {
	fi, err := dir.Lstat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case fi.IsDir():
		if durable.RemoveDir(dir, base) != nil {
			return nil, ErrInTheWay
		}
		return nil, nil
	}
	return fi, nil
}

// create moves from to base, where nothing is.
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

// replaceKeeping is exchange where there is no such call: what stands at base
// gets a second name first, or is copied.
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

// keep makes aside another name of the file or link base, or else a copy.
func keep(dir *os.Root, base, aside string) error {
	if err := os.Remove(aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // a copy that was cut short
	}
	if durable.LinkOut(dir, base, aside) == nil {
		return nil
	}
	return copyOut(dir, base, aside)
}

// Take moves the file or link at path to the absolute path aside, then removes
// the folders above it that are empty now; the first stay of them remain. expect
// is as for [Worktree.Swap]; where nothing is expected and nothing stands, only
// the folders go.
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

// Prune removes the folders above path that are empty, but for the first stay of
// them. Folders that are not there, or not to be reached, are no error.
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
