//go:build unix

package bounded

import (
	"os"
	"syscall"
)

// ownGroup starts a process in its own group, so that its children can be ended with it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// endGroup asks the process and its group to end; killGroup kills them.
func endGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }
func killGroup(p *os.Process)      { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
