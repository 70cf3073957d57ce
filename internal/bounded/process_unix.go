//go:build unix

package bounded

import (
	"os"
	"syscall"
)

// OwnGroup starts a process in its own group, so that its children can be ended with it.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// OwnSession starts a process in its own session: it has no terminal, neither a closing terminal nor a signal to our
// group reaches it, and all its descendants can be ended together.
func OwnSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// End asks a process to end, so that it can remove its files and end its children.
func End(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// EndGroup asks the process of a group or session of its own, and its children, to end; KillGroup kills them.
func EndGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }

func KillGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
