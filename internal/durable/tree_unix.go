//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// noFollow makes an open neither follow a link nor wait for a pipe.
const noFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK

// openNow opens path for reading without waiting, and does not make a terminal the
// controlling one.
func openNow(path string, plain bool) (*os.File, error) {
	flags := os.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY
	if plain {
		flags |= unix.O_NOFOLLOW
	}
	f, err := os.OpenFile(path, flags, 0)
	switch { // the errors for links differ by system; a socket cannot be opened
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EMLINK), errors.Is(err, unix.ENXIO):
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNoFile}
	}
	return f, err
}

// CrossDevice reports whether a rename failed because its two names are on different file
// systems.
func CrossDevice(err error) bool { return errors.Is(err, unix.EXDEV) }

// RenameInto renames the absolute path from to base of the open folder dir. It does not
// resolve the target's folders by name again.
func RenameInto(from string, dir *os.Root, base string) error {
	return inFolder(dir, func(fd int) error { return unix.Renameat(unix.AT_FDCWD, from, fd, base) })
}

// RenameBetween renames name of one open folder to base of another.
func RenameBetween(src *os.Root, name string, dst *os.Root, base string) error {
	return inFolder(src, func(from int) error {
		return inFolder(dst, func(to int) error { return unix.Renameat(from, name, to, base) })
	})
}

// RenameOut renames base of the open folder dir to the absolute path to.
func RenameOut(dir *os.Root, base, to string) error {
	return inFolder(dir, func(fd int) error { return unix.Renameat(fd, base, unix.AT_FDCWD, to) })
}

// LinkOut makes the absolute path to a second name of the file or link base of the open
// folder dir. Not every file system, and not every file, allows it.
func LinkOut(dir *os.Root, base, to string) error {
	return inFolder(dir, func(fd int) error { return unix.Linkat(fd, base, unix.AT_FDCWD, to, 0) })
}

// RemoveFile removes a file, never a folder.
func RemoveFile(dir *os.Root, name string) error {
	return inFolder(dir, func(fd int) error { return unix.Unlinkat(fd, name, 0) })
}

// RemoveDir removes an empty folder, never a file.
func RemoveDir(dir *os.Root, name string) error {
	return inFolder(dir, func(fd int) error { return unix.Unlinkat(fd, name, unix.AT_REMOVEDIR) })
}

func inFolder(dir *os.Root, do func(fd int) error) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		if err := do(int(f.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// SyncFolder makes the names in an open folder durable, if the system has a call for that.
func SyncFolder(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return syncNames(f)
}

// NotEmpty reports whether a folder was not removed because it is not empty.
func NotEmpty(err error) bool { return errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) }
