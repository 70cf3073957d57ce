//go:build unix

package git

import (
	"os"
	"syscall"
)

// ownedByUs applies git's safe.directory rule to the repositories that are found without
// git; git decides about every other owner.
func ownedByUs(fi os.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// terminate asks git to end, so that it removes its lock files and temporary files and
// ends its children.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// ownGroup starts a process in a group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// ownSession starts a process in its own session: it has no terminal, and all its
// descendants can be killed together.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// terminateGroup asks a process started in its own session, and its children, to
// end; killGroup ends those that did not.
func terminateGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
