package bounded

import (
	"os"
	"syscall"
)

// OwnGroup starts a process that an interrupt of our console does not reach.
func OwnGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// OwnSession starts a process without a console.
func OwnSession() *syscall.SysProcAttr {
	const detachedProcess = 0x8
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}

// End kills the process, and so do EndGroup and KillGroup: Windows has no gentler way and no process group.
func End(p *os.Process) error { return p.Kill() }

func EndGroup(p *os.Process) error { return p.Kill() }

func KillGroup(p *os.Process) { _ = p.Kill() }
