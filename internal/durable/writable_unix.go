//go:build unix

package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// Writable is the error that making, replacing or removing base in the open
// folder dir is bound to meet, as far as one can see beforehand; nil says
// nothing for certain.
func Writable(dir *os.Root, base string) error {
	return inFolder(dir, func(fd int) error {
		if err := unix.Faccessat(fd, ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
			return err
		}
		return pinned(fd, base)
	})
}
