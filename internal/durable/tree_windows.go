package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

const noFollow = 0

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

// CrossDevice reports whether a rename failed because its two names are on different file
// systems.
func CrossDevice(err error) bool { return errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) }

// RenameInto renames the absolute path from to base of the open folder dir. It tries again
// for a short time while another program has the target open.
func RenameInto(from string, dir *os.Root, base string) error {
	return rename(from, filepath.Join(dir.Name(), base))
}

// RenameBetween renames name of one open folder to base of another.
func RenameBetween(src *os.Root, name string, dst *os.Root, base string) error {
	return RenameInto(filepath.Join(src.Name(), name), dst, base)
}

// RenameOut renames base of the open folder dir to the absolute path to. It tries again
// for a short time while another program has the file open.
func RenameOut(dir *os.Root, base, to string) error {
	return rename(filepath.Join(dir.Name(), base), to)
}

// LinkOut makes the absolute path to a second name of the file base of the open folder
// dir. Not every file system, and not every file, allows it.
func LinkOut(dir *os.Root, base, to string) error {
	return os.Link(filepath.Join(dir.Name(), base), to)
}

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

// SyncFolder does nothing: Windows has no call that makes the names in a folder durable.
func SyncFolder(*os.Root) error { return nil }

// Writable returns nil: on Windows only an attempt shows the error.
func Writable(*os.Root, string) error { return nil }

// NotEmpty reports whether a folder was not removed because it is not empty.
func NotEmpty(err error) bool { return errors.Is(err, windows.ERROR_DIR_NOT_EMPTY) }
