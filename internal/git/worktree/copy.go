package worktree

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"entire/internal/durable"
	"entire/internal/git/object"
)

// besideName returns the temporary name, next to a path, of a file that is copied there
// from the absolute path from. It is always the same, so that a later run finds and
// finishes the work of a killed one.
func besideName(from string) string {
	sum := sha256.Sum256([]byte(from))
	return ".entire-" + hex.EncodeToString(sum[:6])
}

// copyOver replaces base with a copy of the file or link at the absolute path from, and
// removes from.
func copyOver(dir *os.Root, base, from string) error {
	fi, err := os.Lstat(from)
	if err != nil {
		return err
	}
	temp := besideName(from)
	if err := dir.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = copyIn(dir, temp, from, fi)
	if err == nil {
		err = dir.Rename(temp, base)
	}
	if err != nil {
		_ = dir.Remove(temp)
		return err
	}
	return os.Remove(from)
}

// Forget removes what a killed [Worktree.Swap] of from left next to path.
func (w *Worktree) Forget(path, from string) error {
	way, err := w.tree.Walk(path, false)
	if err != nil {
		return nil // nothing can be there
	}
	defer way.Close()
	if err := way.Dir().Remove(besideName(from)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return at("remove what was left beside", path, err)
	}
	return nil
}

func copyIn(dir *os.Root, name, from string, fi fs.FileInfo) error {
	if fi.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return dir.Symlink(target, name)
	}
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := pour(dst, src, fi); err != nil {
		return err
	}
	return dir.Chtimes(name, fi.ModTime(), fi.ModTime())
}

// pour copies src to dst, durably, with its mode, and closes dst.
func pour(dst *os.File, src io.Reader, fi fs.FileInfo) error {
	_, err := io.Copy(dst, src)
	if err == nil {
		err = dst.Chmod(fi.Mode().Perm())
	}
	if err == nil {
		err = dst.Sync()
	}
	if cerr := dst.Close(); err == nil {
		err = cerr
	}
	return err
}

// copyOut makes the absolute path to a copy of the file or link base of dir, with its mode
// and time. The copy is complete or absent.
func copyOut(dir *os.Root, base, to string) error {
	fi, err := dir.Lstat(base)
	if err != nil {
		return err
	}
	part := to + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	switch fileMode(fi) {
	case 0:
		return fmt.Errorf("is %s", kindOf(fi))
	case object.ModeSymlink:
		target, err := dir.Readlink(base)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	src, err := durable.OpenRegular(dir, base, fi)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(filepath.Clean(part), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := pour(dst, src, fi); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	if err := os.Chtimes(part, fi.ModTime(), fi.ModTime()); err != nil {
		return err
	}
	return os.Rename(part, to)
}
