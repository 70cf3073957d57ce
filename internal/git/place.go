package git

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"entire/internal/durable"
)

// Place moves the file or symbolic link at the absolute path staged to path,
// replacing a file or link there in one step and making missing folders. Mode
// and link are kept as staged. A file or link where a folder is needed, or a
// folder with anything in it at path, is an error and stays as it is.
//
// From another file system staged is copied beside path first and renamed from
// there; staged is then removed.
func (w *Worktree) Place(path, staged string) error {
	way, err := w.tree.Walk(path, true)
	if err != nil {
		return at("place", path, err)
	}
	defer way.Close()
	fi, err := os.Lstat(staged)
	if err != nil {
		return at("place", path, err)
	}
	if fileMode(fi) == 0 {
		return at("place", path, fmt.Errorf("staged is %s", kindOf(fi)))
	}
	return at("place", path, place(way.Dir(), way.Base, staged, fi))
}

func place(dir *os.Root, base, staged string, fi fs.FileInfo) error {
	if old, err := dir.Lstat(base); err == nil && old.IsDir() {
		if err := durable.RemoveDir(dir, base); err != nil {
			return errors.New("a folder is in the way")
		}
	}
	err := durable.RenameInto(staged, dir, base)
	if !durable.CrossDevice(err) {
		return err
	}
	if err := copyInto(staged, fi, dir, base); err != nil {
		return err
	}
	return os.Remove(staged)
}

// copyInto makes base a copy of staged by way of a temporary file beside it.
func copyInto(staged string, fi fs.FileInfo, dir *os.Root, base string) error {
	var rnd [6]byte
	if _, err := rand.Read(rnd[:]); err != nil {
		return err
	}
	temp := ".entire-" + hex.EncodeToString(rnd[:])
	err := copyEntry(staged, fi, dir, temp)
	if err == nil {
		err = dir.Rename(temp, base)
	}
	if err != nil {
		_ = dir.Remove(temp)
	}
	return err
}

func copyEntry(staged string, fi fs.FileInfo, dir *os.Root, name string) error {
	if fi.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(staged)
		if err != nil {
			return err
		}
		return dir.Symlink(target, name)
	}
	src, err := os.Open(staged)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fi.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err == nil {
		err = dst.Chmod(fi.Mode().Perm())
	}
	if cerr := dst.Close(); err == nil {
		err = cerr
	}
	return err
}

// Remove removes the file or link at path, then the folders above it that are
// empty now, never the top. A path that is absent is fine; a folder is an
// error.
func (w *Worktree) Remove(path string) error {
	way, err := w.tree.Walk(path, false)
	if err = missing(err); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return at("remove", path, err)
	}
	defer way.Close()
	fi, err := way.Dir().Lstat(way.Base)
	switch {
	case err == nil && fi.IsDir():
		return at("remove", path, errors.New("is a folder"))
	case err == nil:
		err = durable.RemoveFile(way.Dir(), way.Base)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return at("remove", path, err)
	}
	for i := len(way.Names); i > 0; i-- {
		if durable.RemoveDir(way.Dirs[i-1], way.Names[i-1]) != nil {
			break
		}
	}
	return nil
}
