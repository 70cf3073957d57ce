package summarize

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// endGroup ends the process; Windows has nothing softer, and no group to signal.
func endGroup(p *os.Process) error { return p.Kill() }
func killGroup(p *os.Process)      { _ = p.Kill() }

// detachedProcess has no console.
const detachedProcess = 0x8

func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}

// Yield does nothing on Windows.
func Yield() {}

// keepOpenFiles has nothing to do: Windows passes on only what is named.
func keepOpenFiles() {}
