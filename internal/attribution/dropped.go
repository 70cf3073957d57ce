package attribution

import (
	"bytes"
	"slices"
)

// droppedMax bounds the lines that are told of one file.
const droppedMax = 2000

// Dropped are the prints of lines that agents wrote, or nobody that is known, on the
// way to the newest version, and that this has nowhere: they were discarded, or written
// otherwise. Lines that say too little to be known again are left out.
func (h *History) Dropped() Prints {
	last := h.last()
	alive := make([]bool, h.lines+1) // by serial, or told already
	for _, l := range last.lines {
		alive[l.serial] = true
	}
	lost := func(l written) bool {
		class := h.owners[l.owner].Class
		return !alive[l.serial] && (class == Agent || class == Unknown)
	}
	var text []byte
	n := 0
	for k, st := range h.states {
		if st == last || k > 0 && st == h.states[k-1] || !slices.ContainsFunc(st.lines, lost) {
			continue
		}
		i := -1
		for line := range bytes.Lines(st.text.raw) {
			if i++; i >= len(st.lines) || n == droppedMax {
				break
			}
			l := st.lines[i]
			if !lost(l) || !Strong(line) {
				continue
			}
			alive[l.serial] = true
			text, n = append(append(text, bytes.TrimRight(line, "\n")...), '\n'), n+1
		}
	}
	if n == 0 {
		return nil
	}
	there := map[Print]bool{}
	for _, p := range PrintLines(last.text.raw) {
		there[p] = true
	}
	var out Prints
	for _, p := range PrintLines(text) {
		if !there[p] {
			there[p] = true
			out = append(out, p)
		}
	}
	return out
}
