package versions

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// sketch is a content with only some known lines, by number from 1.
type sketch struct {
	lines map[int]string
	total int // 0 if unknown
}

// maxSketch bounds the number of a line, so that a wrong number costs nothing.
const maxSketch = 5_000_000

// show adds lines that somebody saw. What contradicts them is forgotten: the file was changed in between.
func (s *sketch) show(e Evidence) {
	lines := strings.Split(e.Text, "\n")
	first := max(e.First, 1)
	if first+len(lines) > maxSketch || e.Total > maxSketch {
		return
	}
	differs := e.Total > 0 && s.total > 0 && e.Total != s.total
	for i, line := range lines {
		had, known := s.lines[first+i]
		differs = differs || known && had != line
	}
	if s.lines == nil || differs {
		*s = sketch{lines: map[int]string{}}
	}
	if e.Total > 0 {
		s.total = e.Total
	}
	for i, line := range lines {
		s.lines[first+i] = line
	}
}

// change applies edits, as far as their place is known; what is behind a place that is not known is
// forgotten.
func (s *sketch) change(edits []Edit) {
	for _, e := range edits {
		if e.EachLine {
			for n, line := range s.lines {
				s.lines[n] = string(e.inLine([]byte(line)))
			}
			continue
		}
		if e.Append != "" { // what is at the end is not known any more
			s.total = 0
			continue
		}
		for i, h := range e.asHunks() {
			moved := 0
			if len(e.Hunks) > i {
				for _, before := range e.Hunks[:i] {
					moved += len(before.side('+')) - len(before.side('-'))
				}
			}
			s.changeHunk(h, moved)
		}
	}
}

// asHunks returns the edit as hunks; a replaced text is one, if it is whole lines.
func (e Edit) asHunks() []Hunk {
	if len(e.Hunks) > 0 && e.Old == "" {
		return e.Hunks
	}
	if e.Old == "" || e.All {
		return []Hunk{{Index: -1}}
	}
	h := Hunk{Index: -1}
	for line := range strings.SplitSeq(strings.TrimSuffix(e.Old, "\n"), "\n") {
		h.Lines = append(h.Lines, "-"+line)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(e.New, "\n"), "\n") {
		h.Lines = append(h.Lines, "+"+line)
	}
	return []Hunk{h}
}

func (s *sketch) changeHunk(h Hunk, moved int) {
	was, now := h.side('-'), h.side('+')
	at := h.Index + moved + 1
	if h.Index < 0 {
		at = s.find(was)
	} else if !s.agrees(was, at) {
		s.lines, s.total = nil, 0
	}
	if at < 1 || at+len(was)+len(now) > maxSketch {
		s.lines, s.total = nil, 0
		return
	}
	next := map[int]string{}
	for n, line := range s.lines {
		switch {
		case n < at:
			next[n] = line
		case n >= at+len(was):
			next[n+len(now)-len(was)] = line
		}
	}
	for i, line := range now {
		next[at+i] = line
	}
	if s.lines = next; s.total > 0 {
		s.total += len(now) - len(was)
	}
}

func (s *sketch) agrees(was []string, at int) bool {
	for i, line := range was {
		if had, known := s.lines[at+i]; known && had != line {
			return false
		}
	}
	return true
}

// find returns the number of the first of the lines if they are known at one place only, 0 otherwise.
func (s *sketch) find(was []string) int {
	found := 0
	for n, line := range s.lines {
		if len(was) == 0 || line != was[0] {
			continue
		}
		all := true
		for i, l := range was {
			had, known := s.lines[n+i]
			all = all && known && had == l
		}
		if all {
			if found > 0 {
				return 0
			}
			found = n
		}
	}
	return found
}

// whole returns the content if every line is known.
func (s *sketch) whole() (string, bool) {
	if s.total == 0 || len(s.lines) < s.total {
		return "", false
	}
	var b strings.Builder
	for n := 1; n <= s.total; n++ {
		line, known := s.lines[n]
		if !known {
			return "", false
		}
		if n > 1 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return b.String(), true
}

// known returns the runs of known lines, and a text of them with a note for each gap.
func (s *sketch) known() ([]Range, string) {
	var runs []Range
	var b strings.Builder
	for _, n := range slices.Sorted(maps.Keys(s.lines)) {
		last := len(runs) - 1
		if last >= 0 && runs[last].Last == n-1 {
			runs[last].Last = n
		} else {
			from := 1
			if last >= 0 {
				from = runs[last].Last + 1
			}
			writeGap(&b, from, n-1)
			runs = append(runs, Range{First: n, Last: n})
		}
		b.WriteString(s.lines[n] + "\n")
	}
	if len(runs) > 0 && runs[len(runs)-1].Last < s.total {
		writeGap(&b, runs[len(runs)-1].Last+1, s.total)
	}
	return runs, b.String()
}

func writeGap(b *strings.Builder, first, last int) {
	switch {
	case first > last:
	case first == last:
		fmt.Fprintf(b, "[line %d is not known]\n", first)
	default:
		fmt.Fprintf(b, "[lines %d to %d are not known]\n", first, last)
	}
}
