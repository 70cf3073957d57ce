package rewindwalk

import (
	"slices"
	"strings"

	"entire/internal/histories"
)

// A verdict says how sure the model is of a merge.
type verdict int

const (
	sure     verdict = iota
	doubt            // changes side by side: a merge or a conflict
	conflict         // both sides have changed the same
)

// merge brings the way from base to theirs into ours. Every line of a history is
// like no other, so who changed what is a matter of sets: between two lines that
// all three have, at most one side may have changed anything.
func merge(base, ours, theirs histories.File) (histories.File, verdict) {
	switch {
	case ours == base:
		return theirs, sure
	case theirs == base, ours == theirs:
		return ours, sure
	}
	for _, f := range []histories.File{base, ours, theirs} {
		if f.Mode != "644" && f.Mode != "755" {
			return ours, conflict // a link, or nothing
		}
		if strings.Contains(f.Text, "\x00") || strings.ContainsAny(f.Text, "\xff\xfe") {
			return ours, conflict
		}
	}
	mode := ours.Mode
	if ours.Mode == base.Mode {
		mode = theirs.Mode
	}
	text, v := mergeLines(split(base.Text), split(ours.Text), split(theirs.Text))
	return histories.File{Mode: mode, Text: text}, v
}

func split(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func mergeLines(base, ours, theirs []string) (string, verdict) {
	if repeats(base) || repeats(ours) || repeats(theirs) {
		return "", doubt
	}
	var out []string
	worst := sure
	for {
		b, o, t, next := upToCommon(base, ours, theirs)
		switch {
		case slices.Equal(o, b):
			out = append(out, t...)
		case slices.Equal(t, b), slices.Equal(o, t):
			out = append(out, o...)
		case overlap(b, o, t):
			worst = max(worst, conflict)
		default:
			worst = max(worst, doubt)
		}
		if next == "" {
			return strings.Join(out, ""), worst
		}
		out = append(out, next)
		base, ours, theirs = base[len(b)+1:], ours[len(o)+1:], theirs[len(t)+1:]
	}
}

// upToCommon is what lies ahead of the next line that all three have, "" for none.
func upToCommon(base, ours, theirs []string) (b, o, t []string, next string) {
	for i, line := range base {
		j, k := slices.Index(ours, line), slices.Index(theirs, line)
		if j >= 0 && k >= 0 {
			return base[:i], ours[:j], theirs[:k], line
		}
	}
	return base, ours, theirs, ""
}

// overlap reports that both sides have put something else in the place of the
// same lines, or have both added lines where there were none.
func overlap(b, o, t []string) bool {
	if !adds(b, o) || !adds(b, t) {
		return false
	}
	if len(b) == 0 {
		return true
	}
	return slices.ContainsFunc(b, func(line string) bool { return !slices.Contains(o, line) && !slices.Contains(t, line) })
}

func adds(b, o []string) bool {
	return slices.ContainsFunc(o, func(line string) bool { return !slices.Contains(b, line) })
}

func repeats(lines []string) bool {
	seen := map[string]bool{}
	for _, line := range lines {
		if seen[line] {
			return true
		}
		seen[line] = true
	}
	return false
}
