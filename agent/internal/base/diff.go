package base

import (
	"strings"

	"entire/agent"
)

// EditOf returns what a unified diff of one file changed, in whole lines: the lines that it added, and
// those that it removed, each row of neighbours as one text.
func EditOf(path, diff string) agent.Edit {
	e := agent.Edit{Path: path}
	var added, removed strings.Builder
	flush := func() {
		if added.Len() > 0 {
			e.Texts = append(e.Texts, added.String())
		}
		if removed.Len() > 0 {
			e.Replaced = append(e.Replaced, removed.String())
		}
		added.Reset()
		removed.Reset()
	}
	inHunk := false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			flush()
			inHunk = true
		case !inHunk, strings.HasPrefix(line, `\`): // what precedes the first hunk, and a missing last line end
		case strings.HasPrefix(line, "+"):
			added.WriteString(withEnd(line[1:]))
		case strings.HasPrefix(line, "-"):
			removed.WriteString(withEnd(line[1:]))
		default:
			flush()
		}
	}
	flush()
	return e
}

func withEnd(line string) string {
	if strings.HasSuffix(line, "\n") {
		return line
	}
	return line + "\n"
}
