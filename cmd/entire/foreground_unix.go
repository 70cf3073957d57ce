//go:build unix

package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openForeground opens the controlling terminal if this process may read from it: the system
// would stop a background process that tries.
func openForeground() (*os.File, error) {
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
