package attribution

import (
	"bytes"
	"slices"
)

// droppedMax bounds the lines that are listed for one file.
const droppedMax = 2000

// A DroppedLine was written in an earlier version and is nowhere in the newest one: it was
// discarded, moved to another file, or rewritten.
type DroppedLine struct {
	Print   Print
	Owner   Owner  // never of class [Before]
	Version int    // see [Line.Version]
	Gone    int    // the version that no longer has the line, counted as Version is; 0 if it is not known
	Text    []byte // the line, as part of the version's text; nil from [DistinctiveLines]
}

// DroppedLines returns the lost lines that are distinctive, at most droppedMax.
func (h *History) DroppedLines() []DroppedLine {
	last := h.newest()
	alive := h.workspace.boolSlab.take(int(h.lines) + 1) // by serial
	for _, l := range last.lines {
		alive[l.serial] = true
	}
	const there = -1
	known := make([]int32, len(h.workspace.lineTable.weight)) // by form: it is in the newest version, or its number in the list
	for _, form := range last.text.forms {
		known[form] = there
	}
	lost := func(l lineState) bool {
		return !alive[l.serial] && h.owners[l.owner].Class != Before
	}
	var out []DroppedLine
	var bare []byte
	for k, st := range h.states {
		if st == last || !slices.ContainsFunc(st.lines, lost) {
			continue
		}
		i := -1
		for line := range bytes.Lines(st.text.raw) {
			if i++; i >= len(st.lines) {
				break
			}
			form := st.text.forms[i]
			if n := known[form]; n > 0 {
				out[n-1].Gone = k + 1
			}
			if known[form] != 0 || len(out) == droppedMax || !lost(st.lines[i]) || !Distinctive(line) {
				continue
			}
			bare = appendForm(bare[:0], line)
			out = append(out, DroppedLine{printOf(bare), h.owners[st.lines[i].owner], int(st.lines[i].version), k + 1, line})
			known[form] = int32(len(out))
		}
	}
	return out
}

// LostOlderLines returns the distinctive lines that the history began with and the newest version has nowhere, at
// most droppedMax. Their owners are unknown.
func (h *History) LostOlderLines() (out []DroppedLine) {
	last := h.newest()
	there := make(map[int32]bool, len(last.text.forms))
	for _, form := range last.text.forms {
		there[form] = true
	}
	first, i := h.states[0].text, -1
	for line := range bytes.Lines(first.raw) {
		if i++; len(out) == droppedMax {
			break
		}
		if form := first.forms[i]; !there[form] && Distinctive(line) {
			there[form] = true
			out = append(out, DroppedLine{Print: PrintLine(line), Owner: Owner{Class: Unknown}, Text: line})
		}
	}
	return out
}

// DroppedPrints returns the prints of the lost lines that people did not write.
func DroppedPrints(lost []DroppedLine) (out Prints) {
	for _, l := range lost {
		if l.Owner.Class != Person {
			out = append(out, l.Print)
		}
	}
	return out
}

// DistinctiveLines returns the distinctive lines of a version with their owners, at most droppedMax.
// The owner of a line whose text is older is unknown, even if the line was moved.
func DistinctiveLines(text []byte, lines []Line) (out []DroppedLine) {
	var bare []byte
	i := -1
	for line := range bytes.Lines(text) {
		if i++; i >= len(lines) || len(out) == droppedMax {
			break
		}
		if !Distinctive(line) {
			continue
		}
		o := lines[i].Owner
		if lines[i].Moved || o.Class == Before {
			o = Owner{Class: Unknown}
		}
		bare = appendForm(bare[:0], line)
		out = append(out, DroppedLine{Print: printOf(bare), Owner: o, Version: lines[i].Version})
	}
	return out
}

// Union returns the lines of both lists without duplicates: those of a, and of b as far as there are at most droppedMax.
func Union(a, b Prints) Prints {
	have := make(map[Print]bool, len(a)+len(b))
	out := make(Prints, 0, len(a)+len(b))
	for _, p := range a {
		if !have[p] {
			have[p] = true
			out = append(out, p)
		}
	}
	for _, p := range b {
		if !have[p] && len(out) < droppedMax {
			have[p] = true
			out = append(out, p)
		}
	}
	return out
}
