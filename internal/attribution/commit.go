package attribution

import "bytes"

// Commit compares the newest version, as the committed one, with the commit's parents: a
// line is added if no parent has it, and removed if all of them had it. Without a parent,
// the file is new. The first parent's text need not be the text that the history began
// with.
func (h *History) Commit(parents ...[]byte) File {
	if len(parents) == 0 {
		parents = [][]byte{nil}
	}
	st, first := h.newest(), h.read(parents[0])
	f := File{Lines: make([]Line, len(st.lines))}
	kept := h.workspace.longest(first, st.text)
	removed := h.workspace.unkept(len(first.ids), kept)
	for j := range f.Lines {
		f.Lines[j].Added = kept[j] < 0
	}
	for _, raw := range parents[1:] {
		other := h.read(raw)
		for j, i := range h.workspace.longest(other, st.text) {
			f.Lines[j].Added = f.Lines[j].Added && i < 0
		}
		removed = alsoIn(removed, h.workspace.longest(other, first))
	}
	began := bytes.Equal(h.states[0].text.raw, parents[0])
	h.ownAdded(&f, st, first, began)
	f.Removed = h.ownRemoved(removed, st, first, began)
	return f
}

// read returns a version's text, which the history may already have read.
func (h *History) read(raw []byte) text {
	if same := h.sameAs(raw); same != nil {
		return same.text
	}
	return h.workspace.lineTable.readAfter(h.states[0].text.ids, raw)
}

// longest pairs as many equal lines of two whole texts as possible.
func (r *Workspace) longest(a, b text) alignment {
	t, of := trimmed{a: a, b: b}, r.diff.longest(a.ids, b.ids)
	r.slide(t.pairs(r, of))
	return of
}

// unkept returns the lines of the older version that an alignment leaves without a pair.
func (r *Workspace) unkept(n int, of alignment) []int {
	stays := r.boolSlab.take(n)
	for _, i := range of {
		if i >= 0 {
			stays[i] = true
		}
	}
	var out []int
	for i, s := range stays {
		if !s {
			out = append(out, i)
		}
	}
	return out
}

// alsoIn keeps only the lines that another version has, too.
func alsoIn(lines []int, of alignment) []int {
	out := lines[:0]
	for _, i := range lines {
		if of[i] >= 0 {
			out = append(out, i)
		}
	}
	return out
}

// ownAdded sets the owner of each added line. Git and the history may pair equal lines
// differently (for example with one more brace): then git counts a line as added that
// nobody changed, and a changed line as old. The added line gets the owner of the nearest
// such changed line; there is one for each, because git keeps as many lines as possible. A line of the base that the first
// parent does not have was not moved since: nothing says who wrote it.
func (h *History) ownAdded(f *File, st *versionState, first text, began bool) {
	var need, spare []int
	has := map[int32]bool{}
	for _, form := range first.forms {
		has[form] = true
	}
	for j := range st.lines {
		line := h.line(st, j)
		switch touched := line.Owner.Class != Before && (!line.Moved || began || has[st.text.forms[j]]); {
		case f.Lines[j].Added && touched:
			line.Added = true
			f.Lines[j] = line
		case f.Lines[j].Added:
			need = append(need, j)
			f.Lines[j].Owner = Owner{Class: Unknown}
		case touched:
			spare = append(spare, j)
		}
	}
	if !began {
		return
	}
	assignSpares(need, spare, st.text.ids, func(j, k int) {
		line := h.line(st, k)
		line.Added = true
		f.Lines[j], f.Lines[k] = Line{}, line
	})
}

// ownRemoved returns who removed each line of the first parent, in the same way.
func (h *History) ownRemoved(removed []int, st *versionState, first text, began bool) []Removal {
	at := h.workspace.unaligned(len(first.ids)) // the line of the base that each is, or -1
	if began {
		for i := range at {
			at[i] = int32(i)
		}
	} else {
		at = h.workspace.longest(h.states[0].text, first)
	}
	fate := h.workspace.fates(st)
	out := make([]Removal, len(removed))
	is := h.workspace.boolSlab.take(len(first.ids))
	var need, spare []int
	for k, i := range removed {
		is[i] = true
		out[k] = Removal{Line: i, Owner: Owner{Class: Unknown}}
		if at[i] >= 0 && fate[at[i]].removed {
			out[k].Owner, out[k].Replaced = h.owners[fate[at[i]].by], fate[at[i]].replaced
		} else {
			need = append(need, k)
		}
	}
	if !began {
		return out
	}
	for i := range fate {
		if fate[i].removed && !is[i] {
			spare = append(spare, i)
		}
	}
	lines := make([]int, len(need)) // by their line in the parent
	of := map[int]int{}
	for n, k := range need {
		lines[n] = out[k].Line
		of[out[k].Line] = k
	}
	assignSpares(lines, spare, first.ids, func(i, k int) {
		out[of[i]].Owner, out[of[i]].Replaced = h.owners[fate[k].by], fate[k].replaced
	})
	return out
}

// fates returns for each line of the base who removed it; for a line that was moved or
// reformatted, who did that.
func (r *Workspace) fates(st *versionState) []fate {
	out := r.fateSlab.take(len(st.fates))
	copy(out, st.fates)
	for _, l := range st.lines {
		if l.origin >= 0 && l.movedBy != beforeIndex {
			out[l.origin] = fate{removed: true, by: l.movedBy, replaced: l.modified}
		}
	}
	return out
}

// assignSpares gives each line in need a spare one: first one with equal text, otherwise any, the
// nearest first. All lists are in ascending order.
func assignSpares(need, spare []int, ids []int32, give func(needy, spare int)) {
	if len(need) == 0 || len(spare) == 0 {
		return
	}
	taken := make([]bool, len(spare))
	var rest []int
	for _, n := range need {
		if k := nearestSpare(n, spare, taken, func(s int) bool { return ids[s] == ids[n] }); k >= 0 {
			taken[k] = true
			give(n, spare[k])
		} else {
			rest = append(rest, n)
		}
	}
	for _, n := range rest {
		if k := nearestSpare(n, spare, taken, func(int) bool { return true }); k >= 0 {
			taken[k] = true
			give(n, spare[k])
		}
	}
}

// spareMax bounds how many spare lines are considered for one line in need.
const spareMax = 2000

func nearestSpare(n int, spare []int, taken []bool, fits func(int) bool) int {
	best := -1
	from := max(0, lowerBound(spare, n)-spareMax/2)
	for k := from; k < len(spare) && k < from+spareMax; k++ {
		if taken[k] || !fits(spare[k]) {
			continue
		}
		if best < 0 || abs(spare[k]-n) < abs(spare[best]-n) {
			best = k
		}
	}
	return best
}

func lowerBound(list []int, n int) int {
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := (lo + hi) / 2; list[mid] < n {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

func abs(n int) int { return max(n, -n) }
