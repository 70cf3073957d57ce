package statuslib

import (
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/strategy/worktree"
)

// writeGaps names what neither git nor a step can capture; files that were left out are among the
// problems.
func (v *Status) writeGaps(b *strings.Builder) {
	of := map[worktree.Gap][]string{}
	for _, u := range v.NotCaptured {
		name := u.Path
		if u.Gap == worktree.GapMode {
			name += " (" + u.Mode + ")"
		}
		of[u.Gap] = append(of[u.Gap], name)
	}
	var lines []string
	for _, kind := range []struct {
		gap  worktree.Gap
		name string
	}{
		{worktree.GapEmpty, "empty folders"},
		{worktree.GapMode, "permissions"},
		{worktree.GapSubmodule, "content of submodules"},
	} {
		if names := of[kind.gap]; len(names) > 0 {
			lines = append(lines, fmt.Sprintf("  %s: %s\n", kind.name, cliui.SomeNames(names)))
		}
	}
	if len(lines) > 0 {
		b.WriteString("\nNot in checkpoints:\n" + strings.Join(lines, ""))
	}
}
