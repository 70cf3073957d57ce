package patch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrConflict is returned for a hunk whose old lines are not in the content, or are there several times
// and not at the hunk's place.
var ErrConflict = errors.New("the lines around the change are different now")

// Apply returns the content with the hunks applied, which are in the order of the patch; some may be
// missing. A hunk applies at its own place, moved as the hunk before it was, or else at the only later
// place that has its old lines. As with git, a hunk without unchanged lines at its end applies at the
// end of the content only, and one that begins at line 1 at the beginning only. With an error, it
// returns nothing.
func Apply(before []byte, hunks []Hunk) ([]byte, error) {
	content := splitLines(string(before))
	out := make([]byte, 0, len(before)+1024)
	done, moved := 0, 0 // lines of content that are settled, and how far the last hunk was from its place
	for _, h := range hunks {
		old := h.side('-')
		at, err := h.find(content, old, done, moved)
		if err != nil {
			return nil, fmt.Errorf("apply the change at line %d: %w", max(h.OldFrom, 1), err)
		}
		for _, line := range content[done:at] {
			out = append(out, line...)
		}
		for _, line := range h.side('+') {
			out = append(out, line...)
		}
		done, moved = at+len(old), at-h.place()
	}
	for _, line := range content[done:] {
		out = append(out, line...)
	}
	return out, nil
}

// place is the index of the hunk's first old line in the file that it was made from.
func (h Hunk) place() int { return firstLine(h.OldFrom, h.OldLines) - 1 }

// side returns the lines that the hunk removes or leaves, with op '-', or leaves or adds, with op '+'.
func (h Hunk) side(op byte) []string {
	var out []string
	for _, l := range h.Lines {
		if l.Op != ' ' && l.Op != op {
			continue
		}
		if l.NoNewline {
			out = append(out, l.Text)
		} else {
			out = append(out, l.Text+"\n")
		}
	}
	return out
}

// find returns the line of content at which the hunk's old lines stand: at the hunk's own place, moved by the hunks
// before it, or else at the only other place. The lines before done belong to those hunks.
func (h Hunk) find(content, old []string, done, moved int) (int, error) {
	fits := func(at int) bool {
		return at >= done && at+len(old) <= len(content) && slices.Equal(content[at:at+len(old)], old)
	}
	atStart := h.OldFrom <= 1
	atEnd := len(h.Lines) == 0 || h.Lines[len(h.Lines)-1].Op != ' '
	from, to := done, len(content)-len(old)
	if atStart {
		to = min(to, 0)
	}
	if atEnd {
		from = max(from, len(content)-len(old))
	}
	if own := h.place() + moved; own >= from && own <= to && fits(own) {
		return own, nil
	}
	found := -1
	for at := from; at <= to; at++ {
		if !fits(at) {
			continue
		}
		if found >= 0 {
			return 0, ErrConflict
		}
		found = at
	}
	if found < 0 {
		return 0, ErrConflict
	}
	return found, nil
}

// splitLines returns the lines of text with their line feeds.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
