package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

const noFollow = 0

func crossDevice(err error) bool { return errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) }

// renameInto tries again for a moment while another program has the target
// open.
func renameInto(from string, dir *os.Root, base string) error {
	to := filepath.Join(dir.Name(), base)
	err := os.Rename(from, to)
	for wait := time.Millisecond; err != nil && busy(err) && wait < 64*time.Millisecond; wait *= 2 {
		time.Sleep(wait)
		err = os.Rename(from, to)
	}
	return err
}

func busy(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}

func removeFile(dir *os.Root, name string) error { return dir.Remove(name) }

func removeDir(dir *os.Root, name string) error {
	if fi, err := dir.Lstat(name); err != nil || !fi.IsDir() {
		return fs.ErrInvalid
	}
	return dir.Remove(name)
}
