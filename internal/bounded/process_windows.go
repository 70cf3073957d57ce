package bounded

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// endGroup kills the process. Windows has no gentler way and no process group.
func endGroup(p *os.Process) error { return p.Kill() }
func killGroup(p *os.Process)      { _ = p.Kill() }
