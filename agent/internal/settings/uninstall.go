package settings

import (
	"strings"

	"entire/agent/internal/jsontext"
)

// Hooks removes our commands from the object of events.
func Hooks(e *jsontext.Eraser, events jsontext.TextValue, isOurs func(command string) bool, removed *int) bool {
	if events.Open != '{' {
		return false
	}
	ours := func(_ int, entry jsontext.TextItem) bool {
		if !isOurs(CommandOf(e.Text, entry)) {
			return false
		}
		*removed++
		return true
	}
	group := func(_ int, g jsontext.TextItem) bool {
		entries, ok := g.Value.Member("hooks")
		return ok && entries.Open == '[' && e.Items(entries, ours)
	}
	return e.Items(events, func(i int, it jsontext.TextItem) bool {
		return i == events.Index(it.Key) && it.Value.Open == '[' && e.Items(it.Value, group)
	})
}

// RunsHook reports whether a command runs a hook of this program, either installed or, with
// the given prefix, from its source tree.
func RunsHook(command, localDev string) bool {
	for _, prefix := range []string{InstalledPrefix, localDev} {
		rest, ok := strings.CutPrefix(command, prefix)
		if ok && (strings.HasPrefix(rest, "hooks ") || strings.HasPrefix(rest, "rewind claude-hook ")) {
			return true
		}
	}
	return false
}
