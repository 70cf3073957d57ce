package attribution

import (
	"bytes"
	"slices"
)

// Version is the file after a change.
type Version struct {
	Text  []byte // empty if there is no file
	Owner Owner

	// After is the version that the change was made to: 0 for the preceding one, -1 for
	// the one that the history began with, n for the n-th added. Lines of an earlier
	// version keep their owners when the file returns to it.
	After int

	// Recreated says that the change replaced the file with another one: lines that both have
	// were written again.
	Recreated bool

	// Wrote reports whether an agent at work wrote a line that an earlier version had and an owner removed, or that has
	// words of an owner's line which ended elsewhere. Such a line is the change's. Nil means that lines which come back,
	// or which a formatter may have ended elsewhere, keep their owners.
	Wrote func(line Print, older Owner) bool

	// Known holds the version's lines if their owners are known from elsewhere; new lines
	// that it does not cover are unknown. Nil means that the change is By's.
	Known []Line
}

// History follows one file through its versions. It is not safe for concurrent use.
type History struct {
	workspace *Workspace
	states    []*versionState
	by        []ownerIndex // who made each of the states
	lines     int32        // lines written so far; the last serial
	owners    []Owner
}

// versionState is the file in one version.
type versionState struct {
	text  text
	lines []lineState
	fates []fate // by line of the base
}

// lineState is one line of a version with its history.
type lineState struct {
	serial   int32      // identifies the line in all versions that have it
	version  int32      // the first version that has it; 0 for a line of the base
	owner    ownerIndex // who wrote it; before for a line of the base
	movedBy  ownerIndex // who moved or reformatted a line of the base; otherwise before
	origin   int32      // its line in the base; for another line the complement of its ID as it was written
	modified bool
}

// ownerIndex is the index of an owner in History.owners; it keeps lines small.
type ownerIndex int32

// beforeIndex is the index of the owner of class Before.
const beforeIndex ownerIndex = 0

// ownerIndex returns the index of an owner, which it adds if needed.
func (h *History) ownerIndex(o Owner) ownerIndex {
	i := slices.Index(h.owners, o)
	if i < 0 {
		i = len(h.owners)
		h.owners = append(h.owners, o)
	}
	return ownerIndex(i)
}

// fate says whether and by whom a line of the base was removed.
type fate struct {
	removed  bool
	by       ownerIndex
	replaced bool
}

func (h *History) serial() int32 { h.lines++; return h.lines }

func (h *History) newest() *versionState { return h.states[len(h.states)-1] }

// Step adds the next version.
func (h *History) Step(v Version) {
	from := h.newest()
	switch {
	case v.After < 0, v.Recreated:
		from = h.states[0]
	case v.After > 0 && v.After < len(h.states):
		from = h.states[v.After]
	}
	is := h.sameAs(v.Text)
	if is == nil || v.Known != nil || is != from && v.Wrote != nil {
		is = h.newState(from, v)
	}
	h.states, h.by = append(h.states, is), append(h.by, h.ownerIndex(v.Owner))
}

// sameAs returns the newest version with exactly this text; nil for none. Returning to
// that version writes no new lines.
func (h *History) sameAs(raw []byte) *versionState {
	for _, st := range slices.Backward(h.states) {
		if bytes.Equal(st.text.raw, raw) {
			return st
		}
	}
	return nil
}

// newState returns the lines of v. One that is paired with a line of from keeps its owner, a new one may be
// an earlier line that came back, and the rest are v's.
func (h *History) newState(from *versionState, v Version) *versionState {
	r := h.workspace
	st := &versionState{text: r.lineTable.readAfter(from.text.ids, v.Text), fates: r.fateSlab.take(len(from.fates))}
	copy(st.fates, from.fates)
	st.lines = r.lineSlab.take(len(st.text.ids))
	c := r.compare(from.text, st.text)
	if v.Wrote != nil {
		h.unpairWritten(c, from, st, v)
	}
	by := h.ownerIndex(v.Owner)
	st.noteRemovals(r, from, c, by)
	var fresh []int
	for j := range st.lines {
		i := max(c.of[j], c.moved[j])
		if i < 0 {
			fresh = append(fresh, j)
			continue
		}
		st.lines[j] = from.lines[i]
		if c.of[j] < 0 || from.text.ids[i] != st.text.ids[j] {
			st.lines[j].noteMove(by, c.of[j] >= 0 || c.replacing[j])
		}
	}
	if v.Known == nil && !v.Recreated {
		fresh = h.restoreOwners(from, st, c, fresh, v)
	}
	for _, j := range fresh {
		st.lines[j] = lineState{owner: by, modified: c.replacing[j]}
		if v.Known != nil {
			st.lines[j] = h.knownLine(v.Known, j)
		}
		st.lines[j].serial, st.lines[j].version, st.lines[j].origin = h.serial(), int32(len(h.states)), ^st.text.ids[j]
	}
	return st
}

// unpairWritten takes lines for new that end elsewhere than older ones with the same words, if an agent wrote them.
func (h *History) unpairWritten(c change, from, st *versionState, v Version) {
	for j, i := range c.moved {
		if i < 0 || from.text.forms[i] == st.text.forms[j] || !v.Wrote(h.printOf(st.text.ids[j]), h.owners[from.lines[i].owner]) {
			continue
		}
		c.moved[j] = -1
		if !c.replaced[i] {
			c.replaced[i], c.replacing[j] = true, true
		}
	}
}

func (h *History) printOf(id int32) Print { return PrintLine(h.workspace.lineTable.ids.keys[id]) }

// noteRemovals notes the lines of the base that the change removed.
func (st *versionState) noteRemovals(r *Workspace, from *versionState, c change, by ownerIndex) {
	stays := r.boolSlab.take(len(from.lines))
	for j := range c.of {
		if i := max(c.of[j], c.moved[j]); i >= 0 {
			stays[i] = true
		}
	}
	for i, l := range from.lines {
		if !stays[i] && l.origin >= 0 {
			st.fates[l.origin] = fate{true, by, c.replaced[i]}
		}
	}
}

// restoreOwners finds the new lines that an earlier version had and the present one does not
// have, and gives them their earlier owners. It returns the other new lines.
func (h *History) restoreOwners(from, st *versionState, c change, fresh []int, v Version) []int {
	if len(fresh) == 0 || len(h.states) < 2 {
		return fresh
	}
	var anew []int
	var prints Prints
	by := h.ownerIndex(v.Owner)
	alive := h.workspace.boolSlab.take(int(h.lines) + 1) // by serial
	for _, l := range from.lines {
		alive[l.serial] = true
	}
	for k, old := range slices.Backward(h.states) {
		if len(fresh) == 0 {
			break
		}
		if old == from || slices.Contains(h.states[k+1:], old) {
			continue
		}
		var lost []int
		for i, l := range old.lines {
			if !alive[l.serial] {
				lost = append(lost, i)
			}
		}
		back := h.workspace.boolSlab.take(len(st.lines))
		seek := finder{workspace: h.workspace, least: returnWeight, a: old.text.forms, b: st.text.forms}
		seek.find(lost, fresh, func(i, j int) {
			l := old.lines[i]
			back[j], alive[l.serial] = true, true
			if v.Wrote != nil && l.origin < 0 {
				if prints == nil {
					prints = PrintLines(v.Text)
				}
				if v.Wrote(prints[j], h.owners[h.by[k+1]]) {
					anew = append(anew, j)
					return
				}
			}
			if l.origin >= 0 {
				st.fates[l.origin] = fate{}
			}
			l.noteMove(by, c.replacing[j])
			st.lines[j] = l
		})
		fresh = slices.DeleteFunc(fresh, func(j int) bool { return back[j] })
	}
	return append(fresh, anew...)
}

// noteMove notes who moved a line of the base to its present place.
func (l *lineState) noteMove(by ownerIndex, modified bool) {
	if l.owner == beforeIndex {
		l.movedBy, l.modified = by, modified
	}
}

func (h *History) knownLine(known []Line, j int) lineState {
	if j >= len(known) || known[j].Owner.Class == Before {
		return lineState{owner: h.ownerIndex(Owner{Class: Unknown})}
	}
	return lineState{owner: h.ownerIndex(known[j].Owner), modified: known[j].Modified}
}

// AppendLines appends the lines of the newest version to lines. Lines of the base have the
// owner Before unless somebody moved or reformatted them.
func (h *History) AppendLines(lines []Line) []Line {
	st := h.newest()
	lines = slices.Grow(lines, len(st.lines))
	for j := range st.lines {
		lines = append(lines, h.line(st, j))
	}
	return lines
}

func (h *History) line(st *versionState, j int) Line {
	l := st.lines[j]
	if l.owner == beforeIndex && l.movedBy != beforeIndex {
		return Line{Owner: h.owners[l.movedBy], Moved: true, Modified: l.modified, Version: int(l.version)}
	}
	out := Line{Owner: h.owners[l.owner], Modified: l.modified, Version: int(l.version)}
	if l.origin < 0 && ^l.origin != st.text.ids[j] {
		out.Written = h.printOf(^l.origin)
	}
	return out
}
