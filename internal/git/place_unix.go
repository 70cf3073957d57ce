//go:build unix

package git

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// noFollow keeps an open from following a link and from waiting for a pipe.
const noFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK

func crossDevice(err error) bool { return errors.Is(err, unix.EXDEV) }

// renameInto renames from to base of the open folder dir: no component of the
// target is looked up by name again.
func renameInto(from string, dir *os.Root, base string) error {
	return inFolder(dir, func(fd int) error { return unix.Renameat(unix.AT_FDCWD, from, fd, base) })
}

// removeFile never removes a folder, removeDir never a file.
func removeFile(dir *os.Root, name string) error {
	return inFolder(dir, func(fd int) error { return unix.Unlinkat(fd, name, 0) })
}

func removeDir(dir *os.Root, name string) error {
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
