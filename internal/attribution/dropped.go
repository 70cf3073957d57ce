package attribution

import (
	"bytes"
	"slices"
)

// droppedMax bounds the lines that are told of one file.
const droppedMax = 2000

// A Lost line is one that was written on the way to the newest version, and that this
// has nowhere: it was discarded, put elsewhere, or written otherwise.
type Lost struct {
	Print Print
	Owner Owner // not [Before]
}

// Lost are such lines, as many as droppedMax. Those that say too little to be known
// again are left out.
func (h *History) Lost() []Lost {
	last := h.last()
	alive := h.room.flags.take(int(h.lines) + 1) // by serial
	for _, l := range last.lines {
		alive[l.serial] = true
	}
	there := h.room.flags.take(len(h.room.words.weight)) // by form, or told already
	for _, form := range last.text.forms {
		there[form] = true
	}
	lost := func(l written) bool {
		return !alive[l.serial] && h.owners[l.owner].Class != Before
	}
	var out []Lost
	var bare []byte
	for k, st := range h.states {
		if st == last || k > 0 && st == h.states[k-1] || !slices.ContainsFunc(st.lines, lost) {
			continue
		}
		i := -1
		for line := range bytes.Lines(st.text.raw) {
			if i++; i >= len(st.lines) || len(out) == droppedMax {
				break
			}
			form := st.text.forms[i]
			if there[form] || !lost(st.lines[i]) || !Strong(line) {
				continue
			}
			there[form] = true
			bare = squeeze(bare[:0], line)
			out = append(out, Lost{printOf(bare), h.owners[st.lines[i].owner]})
		}
	}
	return out
}

// Dropped are the lines among those lost that people did not write.
func Dropped(lost []Lost) (out Prints) {
	for _, l := range lost {
		if l.Owner.Class != Person {
			out = append(out, l.Print)
		}
	}
	return out
}

// Held are a version's lines with their owners, as far as those that say enough to be
// known again: nobody for a line that is older, wherever it stood.
func Held(text []byte, lines []Line) (out []Lost) {
	var bare []byte
	i := -1
	for line := range bytes.Lines(text) {
		if i++; i >= len(lines) || len(out) == droppedMax {
			break
		}
		if !Strong(line) {
			continue
		}
		o := lines[i].Owner
		if lines[i].Moved || o.Class == Before {
			o = Owner{Class: Unknown}
		}
		bare = squeeze(bare[:0], line)
		out = append(out, Lost{printOf(bare), o})
	}
	return out
}

// Unite lists the lines of both once, as many as are told of one file.
func Unite(a, b Prints) Prints {
	if len(b) == 0 {
		return a
	}
	out, have := slices.Clone(a), map[Print]bool{}
	for _, p := range a {
		have[p] = true
	}
	for _, p := range b {
		if !have[p] && len(out) < droppedMax {
			have[p] = true
			out = append(out, p)
		}
	}
	return out
}
