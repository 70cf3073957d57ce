package patch

import (
	"bytes"
	"slices"
	"strings"
)

// ForLineEnds returns hunks that were made from before as hunks of raw, which has the same lines with other
// ends: what git converts as it stores a file. A line that a hunk adds ends as the line before it does. ok is
// false if raw differs in more than that, and if the hunks have line ends that are no matter of conversion.
func ForLineEnds(hunks []Hunk, before, raw []byte) (out []Hunk, ok bool) {
	if bytes.Equal(before, raw) {
		return hunks, true
	}
	lines := splitLines(string(raw))
	if !slices.EqualFunc(splitLines(string(before)), lines, func(b, r string) bool { return b == withoutReturn(r) }) {
		return nil, false
	}
	for _, h := range hunks {
		at := h.place() // the next line of raw
		converted := h
		converted.Lines = slices.Clone(h.Lines)
		for i := range converted.Lines {
			l := &converted.Lines[i]
			switch {
			case strings.HasSuffix(l.Text, "\r") || at > len(lines):
				return nil, false
			case l.Op != '+':
				l.Text = strings.TrimSuffix(lines[l.Old-1], "\n")
				at = l.Old
			case !l.NoNewline && returnsAt(lines, at):
				l.Text += "\r"
			}
		}
		out = append(out, converted)
	}
	return out, true
}

// withoutReturn returns a line with a mere line feed at its end.
func withoutReturn(line string) string {
	if body, ok := strings.CutSuffix(line, "\r\n"); ok {
		return body + "\n"
	}
	return line
}

// returnsAt reports whether a line that is put before lines[at] ends with a carriage return: as the line before
// it does, or the first one.
func returnsAt(lines []string, at int) bool {
	for at > 0 && !strings.HasSuffix(lines[at-1], "\n") {
		at-- // the last line, which has no end
	}
	return len(lines) > 0 && strings.HasSuffix(lines[max(at-1, 0)], "\r\n")
}
