//go:build unix

package git

import (
	"os"
	"syscall"
)

// ownedByUs is git's safe.directory rule for the shapes found without git; git
// decides about every other owner.
func ownedByUs(fi os.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// terminate lets git clean up: its lock files, its temporary files, its own
// children.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// ownGroup starts a process in a group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// ownSession starts a process in a session of its own: it has no terminal, and
// all it starts can be killed together.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// terminateGroup asks a process started in its own session, and its children, to
// end; killGroup ends those that did not.
func terminateGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
