//go:build unix

package summarize

import (
	"os"
	"strconv"
	"syscall"
)

// ownGroup starts a process in a group of its own, so that what it starts ends
// with it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// endGroup asks the process and its group to end, killGroup makes them.
func endGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }
func killGroup(p *os.Process)      { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// ownSession starts a process in a session of its own: no terminal that closes
// and no signal to a group reaches it.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// Yield lets everything else on the machine go first: this process and what it
// starts from now on. Only a process that leads its group may call it.
func Yield() { _ = syscall.Setpriority(syscall.PRIO_PGRP, 0, 10) }

// keepOpenFiles keeps the files that somebody else opened for this process, such
// as the lock of a script that runs git, out of the processes it will start.
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
