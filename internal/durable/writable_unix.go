//go:build unix

package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// Writable returns the error with which creating, replacing or removing base in the open
// folder dir would certainly fail, as far as it can be known beforehand; nil promises
// nothing.
func Writable(dir *os.Root, base string) error {
	return inFolder(dir, func(fd int) error {
		if err := unix.Faccessat(fd, ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
			return err
		}
		return pinned(fd, base)
	})
}
