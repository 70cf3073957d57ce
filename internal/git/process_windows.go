package git

import (
	"os"
	"syscall"
)

// ownedByUs returns false: on Windows git is asked, which knows about owners.
func ownedByUs(os.FileInfo) bool { return false }

// terminate ends a process; Windows has no gentler way.
func terminate(p *os.Process) error { return p.Kill() }

// ownGroup starts a process in a group of its own.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// ownSession starts a process without a console.
func ownSession() *syscall.SysProcAttr {
	const detachedProcess = 0x00000008
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}

func terminateGroup(p *os.Process) error { return p.Kill() }

func killGroup(*os.Process) {}
