//go:build unix

package cliui

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// OpenForeground opens the controlling terminal if this process may read from it: the system
// would stop a background process that tries.
func OpenForeground() (*os.File, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	if err == nil && group != unix.Getpgrp() {
		err = errors.New("in the background")
	}
	if err != nil {
		tty.Close()
		return nil, err
	}
	return tty, nil
}
