package process

import (
	"os"
	"syscall"
)

// OwnedByUs returns false: on Windows git is asked, which knows about owners.
func OwnedByUs(os.FileInfo) bool { return false }

// Terminate ends a process; Windows has no gentler way.
func Terminate(p *os.Process) error { return p.Kill() }

// OwnGroup starts a process in a group of its own.
func OwnGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// OwnSession starts a process without a console.
func OwnSession() *syscall.SysProcAttr {
	const detachedProcess = 0x00000008
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}

func TerminateGroup(p *os.Process) error { return p.Kill() }

func KillGroup(*os.Process) {}
