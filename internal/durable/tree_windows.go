package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

const noWait, noFollow = 0, 0

// openNow opens path for reading.
func openNow(path string, plain bool) (*os.File, error) {
	look := os.Stat
	if plain {
		look = os.Lstat
	}
	fi, err := look(path)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNoFile}
	}
	return os.Open(path)
}

func noReader(error) bool { return false }

// crossDevice reports whether a rename failed because its two names are on different file
// systems.
func crossDevice(err error) bool { return errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) }

// Rename renames from to to, which it replaces. It tries again for a short time while another program has
// one of the files open.
func Rename(from, to Place) error { return rename(from.path(), to.path()) }

// Link makes to a second name of the file from. Not every file system, and not every file, allows it.
func Link(from, to Place) error { return os.Link(from.path(), to.path()) }

// RemoveFile removes a file, never a folder.
func RemoveFile(dir *os.Root, name string) error {
	if fi, err := dir.Lstat(name); err == nil && fi.IsDir() {
		return fs.ErrInvalid
	}
	return dir.Remove(name)
}

// RemoveDir removes an empty folder, never a file.
func RemoveDir(dir *os.Root, name string) error {
	if fi, err := dir.Lstat(name); err != nil || !fi.IsDir() {
		return fs.ErrInvalid
	}
	return dir.Remove(name)
}

// syncFolder does nothing: Windows has no call that makes the names in a folder durable.
func syncFolder(*os.Root) error { return nil }

// Writable returns nil: on Windows only an attempt shows the error.
func Writable(*os.Root, string) error { return nil }

// notEmpty reports whether a folder was not removed because it is not empty.
func notEmpty(err error) bool { return errors.Is(err, windows.ERROR_DIR_NOT_EMPTY) }

// path returns the place as a path of the system.
func (p Place) path() string {
	if p.Dir == nil {
		return p.Name
	}
	return filepath.Join(p.Dir.Name(), p.Name)
}
