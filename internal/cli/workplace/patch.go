package workplace

import (
	"context"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/git"
	"entire/internal/term"
	"entire/internal/timeline"
)

// PatchOf returns the patch between two trees for the files in changes, as git prints it without
// the user's configuration.
func PatchOf(ctx context.Context, wp *Workplace, pair [2]git.OID, changes []git.LineCount) ([]byte, error) {
	return timeline.PatchText(ctx, wp.Repo, pair, changes)
}

// PatchText returns a patch for the screen, with colours on a terminal.
func PatchText(env *cliui.Env, patch []byte) string {
	if !term.IsTerminal(env.Out) {
		return string(patch)
	}
	var b strings.Builder
	for _, c := range PatchCells(patch, env.Screen()) {
		if c.Style != nil {
			c.Text = c.Style(c.Text)
		}
		b.WriteString(c.Text + "\n")
	}
	return b.String()
}

// PatchCells returns the lines of a patch for a screen, without the contents of binary files.
func PatchCells(patch []byte, t term.Terminal) []term.Cell {
	var cells []term.Cell
	binary := false
	for line := range strings.Lines(string(patch)) {
		line = strings.TrimSuffix(line, "\n")
		begins := strings.HasPrefix(line, "diff --git ")
		if binary = binary && !begins; binary {
			continue
		}
		binary = line == "GIT binary patch"
		if binary {
			line = "(binary)"
		}
		cells = append(cells, term.Cell{Text: cliui.Printable(strings.ReplaceAll(line, "\t", "    ")), Style: LineStyle(line, t)})
	}
	return cells
}

func LineStyle(line string, t term.Terminal) func(string) string {
	style := func(s term.Style) func(string) string { return func(text string) string { return t.Styled(s, text) } }
	switch {
	case strings.HasPrefix(line, "diff --git "), strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		return style(term.Strong)
	case strings.HasPrefix(line, "@@ "):
		return style(term.Faint)
	case strings.HasPrefix(line, "+"):
		return style(term.Good)
	case strings.HasPrefix(line, "-"):
		return style(term.Bad)
	}
	return nil
}
