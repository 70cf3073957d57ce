//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// noWait makes an open not wait for a pipe.
	noWait = unix.O_NONBLOCK
	// noFollow makes an open neither follow a link nor wait for a pipe.
	noFollow = unix.O_NOFOLLOW | noWait
)

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

// noReader reports whether an open failed because the path is a pipe without a reader, or a socket.
func noReader(err error) bool { return errors.Is(err, unix.ENXIO) }

// crossDevice reports whether a rename failed because its two names are on different file
// systems.
func crossDevice(err error) bool { return errors.Is(err, unix.EXDEV) }

// Rename renames from to to, which it replaces. It resolves no open folder by its name again.
func Rename(from, to Place) error { return between(from, to, unix.Renameat) }

// Link makes to a second name of the file or link from. Not every file system, and not every file, allows it.
func Link(from, to Place) error {
	return between(from, to, func(fromDir int, name string, toDir int, base string) error {
		return unix.Linkat(fromDir, name, toDir, base, 0)
	})
}

func between(a, b Place, do func(aDir int, a string, bDir int, b string) error) error {
	return a.in(func(aDir int) error {
		return b.in(func(bDir int) error { return uninterrupted(func() error { return do(aDir, a.Name, bDir, b.Name) }) })
	})
}

func (p Place) in(do func(fd int) error) error {
	if p.Dir == nil {
		return do(unix.AT_FDCWD)
	}
	return inFolder(p.Dir, do)
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
	return uninterrupted(func() error { return do(int(f.Fd())) })
}

func uninterrupted(do func() error) error {
	for {
		if err := do(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// syncFolder makes the names in an open folder durable, if the system has a call for that.
func syncFolder(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return syncNames(f)
}

// notEmpty reports whether a folder was not removed because it is not empty.
func notEmpty(err error) bool { return errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) }
