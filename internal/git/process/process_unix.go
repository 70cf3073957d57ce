//go:build unix

package process

import (
	"os"
	"syscall"
)

// OwnedByUs applies git's safe.directory rule to the repositories that are found without
// git; git decides about every other owner.
func OwnedByUs(fi os.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// Terminate asks git to end, so that it removes its lock files and temporary files and
// ends its children.
func Terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// OwnGroup starts a process in a group of its own.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// OwnSession starts a process in its own session: it has no terminal, and all its
// descendants can be killed together.
func OwnSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// TerminateGroup asks a process started in its own session, and its children, to
// end; KillGroup ends those that did not.
func TerminateGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }

func KillGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
