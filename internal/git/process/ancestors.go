package process

import (
	"path/filepath"
	"slices"
	"strings"
)

// An Ancestor names one process for good: the system gives a process ID again, but not with the
// same start.
type Ancestor struct {
	PID     int    `json:"pid"`
	Started string `json:"started"` // in the system's own unit
}

// Ancestors returns the process pid and the processes above it, the nearest first; none if the
// system does not show them.
func Ancestors(pid int) []Ancestor {
	var out []Ancestor
	for n := 0; n < climbMax && pid > 1; n++ {
		at := look(pid)
		if at.started == "" {
			break
		}
		out = append(out, Ancestor{PID: pid, Started: at.started})
		pid = at.parent
	}
	return out
}

// CallerAbove returns the nearest process among pid and its ancestors that does more than run
// one command line: for a hook, the agent that called it. ok is false if the system does not
// show it.
func CallerAbove(pid int) (a Ancestor, ok bool) {
	for n := 0; n < climbMax && pid > 1; n++ {
		at := look(pid)
		if at.started == "" {
			break
		}
		if !runsOneLine(at.args) {
			return Ancestor{PID: pid, Started: at.started}, true
		}
		pid = at.parent
	}
	return Ancestor{}, false
}

// shells are the programs with which other programs run a command line.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "fish", "ash"}

// runsOneLine reports whether a process is a shell with a command line as an argument, or a
// program that does nothing but start another.
func runsOneLine(args []string) bool {
	if len(args) == 0 {
		return false
	}
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(filepath.ToSlash(args[0])), "-"), ".exe")
	if name == "env" || name == "timeout" {
		return true
	}
	return slices.Contains(shells, name) && slices.ContainsFunc(args[1:], func(arg string) bool {
		return len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.HasSuffix(arg, "c")
	})
}

// running is what the system shows of one process. started is empty if there is no such process.
type running struct {
	args    []string
	parent  int
	started string
}
