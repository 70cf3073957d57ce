//go:build unix

package summarize

import (
	"os"
	"strconv"
	"syscall"
)

// Yield gives this process and its future children a low priority. Only a process that leads its group
// may call it.
func Yield() { _ = syscall.Setpriority(syscall.PRIO_PGRP, 0, 10) }

// keepOpenFiles stops child processes from inheriting files that a caller opened, such as the lock of
// a script that runs git.
func keepOpenFiles() {
	dir, err := os.Open("/dev/fd")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if fd, err := strconv.Atoi(name); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
