package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Place is a name in an open folder or, if Dir is nil, an absolute path of our own.
type Place struct {
	Dir  *os.Root
	Name string
}

// Lstat describes what is at the place, without following a link there.
func (p Place) Lstat() (fs.FileInfo, error) {
	if p.Dir == nil {
		return os.Lstat(p.Name)
	}
	return p.Dir.Lstat(p.Name)
}

// Remove removes a file or link.
func (p Place) Remove() error {
	if p.Dir == nil {
		return os.Remove(p.Name)
	}
	return RemoveFile(p.Dir, p.Name)
}

// Open opens the file or link that fi describes: the content of the file, or the target of the link.
func (p Place) Open(fi fs.FileInfo) (io.ReadSeekCloser, error) {
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		read := os.Readlink
		if p.Dir != nil {
			read = p.Dir.Readlink
		}
		target, err := read(p.Name)
		return inMemory{strings.NewReader(target)}, err
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("is %s, not a file", kindOf(fi))
	case p.Dir == nil:
		return OpenPlain(p.Name)
	}
	return openRegular(p.Dir, p.Name, fi)
}

// inMemory is a reader of a text that needs no closing.
type inMemory struct{ *strings.Reader }

func (inMemory) Close() error { return nil }

// Create makes a file or link where there is none, with that mode: the content is that of the file, or the
// target of the link. With sync it is on the disk then.
func (p Place) Create(content io.Reader, mode fs.FileMode, sync bool) error {
	link, open := os.Symlink, os.OpenFile
	if p.Dir != nil {
		link, open = p.Dir.Symlink, p.Dir.OpenFile
	}
	if mode&fs.ModeSymlink != 0 {
		target, err := io.ReadAll(content)
		if err != nil {
			return err
		}
		return link(string(target), p.Name)
	}
	f, err := open(p.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err == nil {
		err = f.Chmod(mode.Perm())
	}
	if err == nil && sync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// copyTo makes a copy of a file or link where there is none, durably, with its mode and a file's time.
func (p Place) copyTo(to Place) error {
	fi, err := p.Lstat()
	if err != nil {
		return err
	}
	src, err := p.Open(fi)
	if err != nil {
		return err
	}
	defer src.Close()
	if err := to.Create(src, fi.Mode(), true); err != nil || fi.Mode()&fs.ModeSymlink != 0 {
		return err
	}
	set := os.Chtimes
	if to.Dir != nil {
		set = to.Dir.Chtimes
	}
	return set(to.Name, fi.ModTime(), fi.ModTime())
}

// RenameNew is [Rename] that returns fs.ErrExist if something is at to. Only on systems without such a call
// can something appear between the check and the rename.
func RenameNew(from, to Place) error {
	unsupported, err := renameNew(from, to)
	if !unsupported {
		return err
	}
	if _, err := to.Lstat(); err == nil {
		return fs.ErrExist
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return Rename(from, to)
}

func kindOf(fi fs.FileInfo) string {
	if fi.IsDir() {
		return "a folder"
	}
	return "a special file"
}
