package base

import (
	"strings"

	"entire/agent"
)

// EditOf returns what a unified diff of one file changed, in whole lines: the lines that it added, and
// those that it removed, each row of neighbours as one text.
func EditOf(path, diff string) agent.Edit {
	e := agent.Edit{Path: path}
	var rows changedRows
	inHunk := false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			rows.flush(&e)
			inHunk = true
		case !inHunk, strings.HasPrefix(line, `\`): // what precedes the first hunk, and a missing last line end
		case strings.HasPrefix(line, "+"):
			rows.added.WriteString(withEnd(line[1:]))
		case strings.HasPrefix(line, "-"):
			rows.removed.WriteString(withEnd(line[1:]))
		default:
			rows.flush(&e)
		}
	}
	rows.flush(&e)
	return e
}

// changedRows are neighbouring lines that an edit added, and those that it removed.
type changedRows struct{ added, removed strings.Builder }

// flush ends the rows: each that has lines becomes a text of the edit.
func (r *changedRows) flush(e *agent.Edit) {
	if r.added.Len() > 0 {
		e.Texts = append(e.Texts, r.added.String())
	}
	if r.removed.Len() > 0 {
		e.Replaced = append(e.Replaced, r.removed.String())
	}
	r.added.Reset()
	r.removed.Reset()
}

func withEnd(line string) string {
	if strings.HasSuffix(line, "\n") {
		return line
	}
	return line + "\n"
}
