package settings

import (
	"strings"

	"entire/agent"
	"entire/internal/risk"
)

// Guard says how a hook before a tool call takes part in the guard, which saves the files before a command
// that may lose work.
type Guard int

const (
	// NoGuard is a hook that has nothing to do with it.
	NoGuard Guard = iota
	// Always is installed with the guard and without; with it, the command filters what it gets.
	Always
	// OnlyWith is installed only with the guard, and filters.
	OnlyWith
	// OnlyWithUnfiltered is installed only with the guard. This program filters, because it is not known in
	// what shell the agent runs the command.
	OnlyWithUnfiltered
)

// wanted reports whether a hook is to be installed.
func (h Hook) wanted(opts agent.InstallOptions) bool {
	return h.Guard == NoGuard || h.Guard == Always || opts.Tools.Shell
}

// filters reports whether a hook's command filters what it gets.
func (h Hook) filters(opts agent.InstallOptions) bool {
	return (h.Guard == Always || h.Guard == OnlyWith) && opts.Tools.Shell && !opts.Tools.Everything && !opts.Tools.NoFilter && len(opts.Tools.Before) == 0
}

// The filter begins and ends so, and before its end stands the command that it runs; wrapped is the form for
// an agent that uses its user's shell, whatever that is.
const (
	filterBegin, filterRuns, filterEnd = "i=", `printf %s "$i"|`, "||:;fi"
	wrapBegin, wrapEnd                 = "exec sh -c '", "'"
)

// filtered returns a command behind the filter, which also lets a payload through that has the text also, if that is not "".
func (t Table) filtered(command, also string) string {
	line := risk.Filter(command, also)
	if t.UserShell {
		return wrapBegin + line + wrapEnd
	}
	return line
}

// unfiltered returns the command that a filter runs, and every other command as it is.
func unfiltered(command string) string {
	line := command
	if inner, ok := strings.CutPrefix(line, wrapBegin); ok {
		line = strings.TrimSuffix(inner, wrapEnd)
	}
	if !strings.HasPrefix(line, filterBegin) || !strings.HasSuffix(line, filterEnd) {
		return command
	}
	_, inner, found := strings.Cut(line, filterRuns)
	if !found {
		return command
	}
	return strings.TrimSuffix(inner, filterEnd)
}
