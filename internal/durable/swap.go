package durable

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
)

var (
	// ErrChanged is returned by [Tree.Swap] and [Tree.Take] if something else than expected is at the path. It
	// stays there.
	ErrChanged = errors.New("changed meanwhile")
	// ErrFolderStays is returned by [Tree.Take] and [Tree.Prune], wrapped with the folder, if everything is
	// done except that a folder, now empty, could not be removed.
	ErrFolderStays = errors.New("the folder, empty now, could not be removed")
	// ErrFolderInTheWay is returned by [Tree.Swap] if a folder that is not empty is at the path.
	ErrFolderInTheWay = errors.New("a folder is in the way")
)

// Swap moves the file or link from to path, and what was there to aside, in one step if the system can. It
// creates missing folders and replaces an empty folder at path. Without a Name of aside, what was there stays
// at from or, where the system cannot exchange files, is replaced.
//
// It calls expect with what is at path, nil for nothing, and again with what it moved aside: a file that
// appeared in between is put back, and nothing is lost. from and aside may be on another file system; then
// files are copied with their mode and time.
func (t *Tree) Swap(path string, from, aside Place, expect func(fs.FileInfo) bool) error {
	way, err := t.Walk(path, true)
	if err != nil {
		return err
	}
	defer way.Close()
	to := way.Place()
	if fi, err := from.Lstat(); err != nil {
		return err
	} else if !isFile(fi) {
		return errors.New("staged is " + kindOf(fi))
	}
	old, err := standing(to)
	switch {
	case err != nil:
		return err
	case !expect(old):
		return ErrChanged
	case old == nil:
		return create(from, to)
	}
	return exchange(from, to, aside, expect)
}

func isFile(fi fs.FileInfo) bool { return fi.Mode().IsRegular() || fi.Mode()&fs.ModeSymlink != 0 }

// standing returns what is at a place, nil for nothing. It removes an empty folder.
func standing(at Place) (fs.FileInfo, error) {
	fi, err := at.Lstat()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case fi.IsDir():
		if RemoveDir(at.Dir, at.Name) != nil {
			return nil, ErrFolderInTheWay
		}
		return nil, nil
	}
	return fi, nil
}

// create moves from to a place where nothing may be.
func create(from, to Place) error {
	err := RenameNew(from, to)
	if crossDevice(err) {
		return copyOver(from, to)
	}
	if errors.Is(err, fs.ErrExist) {
		return ErrChanged
	}
	return err
}

func exchange(from, to, aside Place, expect func(fs.FileInfo) bool) error {
	err := Exchange(from, to)
	if lacking(err) || crossDevice(err) {
		return replaceKeeping(from, to, aside, expect)
	}
	if err != nil {
		return err
	}
	if fi, err := from.Lstat(); err != nil || !expect(fi) {
		if err == nil {
			err = ErrChanged
		}
		return errors.Join(err, Exchange(from, to))
	}
	if aside.Name == "" {
		return nil
	}
	return Rename(from, aside)
}

// replaceKeeping is exchange for systems without such a call: what is there first gets a second name, or is
// copied.
func replaceKeeping(from, to, aside Place, expect func(fs.FileInfo) bool) error {
	if aside.Name == "" {
		return Rename(from, to)
	}
	if err := keep(to, aside); err != nil {
		return err
	}
	fi, err := aside.Lstat()
	if err == nil && !expect(fi) {
		err = ErrChanged
	}
	if err == nil {
		if err = Rename(from, to); crossDevice(err) {
			err = copyOver(from, to)
		}
	}
	if err != nil {
		return errors.Join(err, aside.Remove())
	}
	return nil
}

// keep makes aside a second name of a file or link or, if that fails, a copy.
func keep(at, aside Place) error {
	if err := aside.Remove(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // an incomplete copy
	}
	if Link(at, aside) == nil {
		return nil
	}
	return copyOut(at, aside)
}

// Take moves the file or link at path to aside, then removes the folders above it that are now empty, except
// the first stay of them. It calls expect like [Tree.Swap]; if nothing is expected and nothing is there, it
// only removes the folders.
func (t *Tree) Take(path string, aside Place, stay int, expect func(fs.FileInfo) bool) error {
	way, err := t.Walk(path, false)
	missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrInTheWay)
	switch {
	case missing && expect(nil):
		return nil
	case missing:
		return ErrChanged
	case err != nil:
		return err
	}
	defer way.Close()
	if err := take(way.Place(), aside, expect); err != nil {
		return err
	}
	return way.prune(stay)
}

func take(at, aside Place, expect func(fs.FileInfo) bool) error {
	fi, err := at.Lstat()
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
	err = Rename(at, aside)
	if crossDevice(err) {
		if err := copyOut(at, aside); err != nil {
			return err
		}
		return at.Remove()
	}
	if err != nil {
		return err
	}
	if fi, err := aside.Lstat(); err != nil || !expect(fi) {
		if err == nil {
			err = ErrChanged
		}
		return errors.Join(err, RenameNew(aside, at))
	}
	return nil
}

// Prune removes the empty folders above path, except the first stay of them. Folders that are missing or
// cannot be reached are no error.
func (t *Tree) Prune(path string, stay int) error {
	way, err := t.Reach(path)
	if way == nil {
		return err
	}
	defer way.Close()
	return way.prune(stay)
}

func (w *Way) prune(stay int) error {
	for i := len(w.Dirs) - 1; i > stay; i-- {
		err := RemoveDir(w.Dirs[i-1], w.Names[i-1])
		switch {
		case err == nil, errors.Is(err, fs.ErrNotExist):
		case notEmpty(err):
			return nil
		default:
			return fmt.Errorf("remove %q: %w: %w", clip(strings.Join(w.Names[:i], "/")), ErrFolderStays, cause(err))
		}
	}
	return nil
}

// besideName returns the temporary name, next to a path, of a file that is copied there from another file
// system. It is always the same, so that a later run finds and finishes the work of a killed one.
func besideName(from Place) string {
	sum := sha256.Sum256([]byte(from.Name))
	return ".entire-" + hex.EncodeToString(sum[:6])
}

// copyOver replaces to with a copy of from, and removes from.
func copyOver(from, to Place) error {
	temp := Place{to.Dir, besideName(from)}
	if err := temp.Remove(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := from.copyTo(temp)
	if err == nil {
		err = Rename(temp, to)
	}
	if err != nil {
		_ = temp.Remove()
		return err
	}
	return from.Remove()
}

// copyOut makes to a copy of a file or link. The copy is complete or absent.
func copyOut(at, to Place) error {
	part := Place{to.Dir, to.Name + ".part"}
	if err := part.Remove(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := at.copyTo(part); err != nil {
		_ = part.Remove()
		return err
	}
	return Rename(part, to)
}

// Forget removes what a killed [Tree.Swap] of from left next to path.
func (t *Tree) Forget(path string, from Place) error {
	way, err := t.Walk(path, false)
	if err != nil {
		return nil // nothing can be there
	}
	defer way.Close()
	if err := way.Dir().Remove(besideName(from)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// MakeFolder creates the folder at path with its mode, and those above it. It keeps an existing one.
func (t *Tree) MakeFolder(path string, mode fs.FileMode) error {
	way, err := t.Walk(path, true)
	if err != nil {
		return err
	}
	defer way.Close()
	err = way.Dir().Mkdir(way.Base, os.ModePerm)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil && mode != os.ModePerm && runtime.GOOS != "windows" {
		err = way.Dir().Chmod(way.Base, mode)
	}
	return err
}

// Sync makes durable that the files at paths exist, or no longer exist.
func (t *Tree) Sync(paths []string) error {
	seen := map[string]bool{}
	for _, p := range paths {
		dir := path.Dir(p)
		if seen[dir] {
			continue
		}
		seen[dir] = true
		way, err := t.Reach(p) // the folder, or the one it was removed from
		if way != nil {
			err = syncFolder(way.Dir())
			way.Close()
		}
		if err != nil {
			return fmt.Errorf("make durable %q: %w", clip(p), cause(err))
		}
	}
	return nil
}
