package attribution

import (
	"bytes"
	"slices"
)

// droppedMax bounds the lines that are told of one file.
const droppedMax = 2000

// Dropped are the prints of lines that agents wrote, or nobody that is known, on the
// way to the newest version, and that this has nowhere: they were discarded, put
// elsewhere, or written otherwise. Lines that say too little to be known again are left
// out.
func (h *History) Dropped() Prints {
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
		class := h.owners[l.owner].Class
		return !alive[l.serial] && (class == Agent || class == Unknown)
	}
	var out Prints
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
			out = append(out, printOf(bare))
		}
	}
	return out
}

// NotOfPeople are the prints of a version's lines that people did not write, as far as
// that is known, and that say enough to be known again.
func NotOfPeople(text []byte, lines []Line) (out Prints) {
	var bare []byte
	i := -1
	for line := range bytes.Lines(text) {
		if i++; i >= len(lines) || len(out) == droppedMax {
			break
		}
		if lines[i].Owner.Class == Person && !lines[i].Moved || !Strong(line) {
			continue
		}
		bare = squeeze(bare[:0], line)
		out = append(out, printOf(bare))
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
