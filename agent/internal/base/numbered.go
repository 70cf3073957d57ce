package base

import (
	"strconv"
	"strings"
)

// NumberedRun is a run of lines of a file, as they were shown with their numbers.
type NumberedRun struct {
	First int
	Lines []string
}

// NumberedRuns returns the lines of a text whose lines have numbers, without these; false if it has none. What stands
// before and after them is left out, and so is what does not belong to a file between two runs.
func NumberedRuns(text string) ([]NumberedRun, bool) {
	var runs []NumberedRun
	next := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		n, rest, numbered := numberedLine(line)
		switch {
		case numbered && n == next && next > 0:
			last := &runs[len(runs)-1]
			last.Lines = append(last.Lines, rest)
			next++
		case numbered && n > next:
			runs, next = append(runs, NumberedRun{First: n, Lines: []string{rest}}), n+1
		case len(runs) == 0 && line != "" && line[0] != '<' && !strings.HasSuffix(line, ":"):
			return nil, false // a text that is no such list
		}
	}
	return runs, len(runs) > 0
}

// numberedLine splits a line into its number and its text.
func numberedLine(line string) (n int, rest string, ok bool) {
	line = strings.TrimPrefix(strings.TrimLeft(line, " "), "L")
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits == 0 || digits > 7 {
		return 0, "", false
	}
	n, _ = strconv.Atoi(line[:digits])
	for _, mark := range []string{"→", "\t", "| ", "|", ": ", ":", ". "} {
		if rest, ok = strings.CutPrefix(line[digits:], mark); ok {
			return n, rest, n > 0
		}
	}
	return 0, "", false
}
