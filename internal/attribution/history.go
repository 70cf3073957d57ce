package attribution

import (
	"bytes"
	"slices"
)

// Version is what a change made of the file.
type Version struct {
	Text []byte // empty when there is no file
	By   Owner

	// After is the version the change was made to: 0 for the one before it, -1
	// for the one the history began with, n for the n-th told. Going back to an
	// earlier version gives its lines back to their owners.
	After int

	// Anew says that the change put another file in the place of this one: what both have
	// was written again.
	Anew bool

	// Known are the version's lines where their owners are known from elsewhere;
	// new lines of which it says nothing are unknown. Nil for a change by By.
	Known []Line
}

// History follows one file through its versions. Not safe for concurrent use.
type History struct {
	room   *Room
	states []*state
	lines  int32 // written so far
	owners []Owner
}

// state is the file as one version left it.
type state struct {
	text  text
	lines []written
	gone  []gone // of the base's lines
}

// written is what is known of one line.
type written struct {
	serial   int32 // tells it from every other line, in all versions that have it
	owner    maker // who wrote it; before for a line of the base
	placed   maker // who moved or re-indented a line of the base; else before
	origin   int32 // its line in the base, or -1
	modified bool
}

// maker is an owner as a number of the history's, so that lines are small.
type maker int32

// before is the maker with the owner Before.
const before maker = 0

// maker numbers an owner.
func (h *History) maker(o Owner) maker {
	i := slices.Index(h.owners, o)
	if i < 0 {
		i = len(h.owners)
		h.owners = append(h.owners, o)
	}
	return maker(i)
}

// gone is what became of a line of the base.
type gone struct {
	dead     bool
	by       maker
	replaced bool
}

// Begin starts a history at a text, empty for a file that is not there yet.
func Begin(base []byte) *History {
	return new(Room).Begin(base)
}

func (h *History) serial() int32 { h.lines++; return h.lines }

func (h *History) last() *state { return h.states[len(h.states)-1] }

// Step tells the history its next version.
func (h *History) Step(v Version) {
	from := h.last()
	switch {
	case v.After < 0, v.Anew:
		from = h.states[0]
	case v.After > 0 && v.After < len(h.states):
		from = h.states[v.After]
	}
	if same := h.sameAs(v.Text); same != nil && v.Known == nil {
		h.states = append(h.states, same)
		return
	}
	h.states = append(h.states, h.changed(from, v))
}

// sameAs is the newest version with this very text: nobody wrote it again.
func (h *History) sameAs(raw []byte) *state {
	for _, st := range slices.Backward(h.states) {
		if bytes.Equal(st.text.raw, raw) {
			return st
		}
	}
	return nil
}

func (h *History) changed(from *state, v Version) *state {
	r := h.room
	st := &state{text: r.words.readAfter(from.text.ids, v.Text), gone: r.gone.take(len(from.gone))}
	copy(st.gone, from.gone)
	st.lines = r.lines.take(len(st.text.ids))
	c := r.compare(from.text, st.text)
	by := h.maker(v.By)
	st.bury(r, from, c, by)
	var fresh []int
	for j := range st.lines {
		i := max(c.of[j], c.moved[j])
		if i < 0 {
			fresh = append(fresh, j)
			continue
		}
		st.lines[j] = from.lines[i]
		if c.of[j] < 0 || from.text.ids[i] != st.text.ids[j] {
			st.lines[j].place(by, c.of[j] >= 0 || c.took[j])
		}
	}
	if v.Known == nil && !v.Anew {
		fresh = h.returned(from, st, c, fresh, by)
	}
	for _, j := range fresh {
		st.lines[j] = written{owner: by, origin: -1, modified: c.took[j]}
		if v.Known != nil {
			st.lines[j] = h.knownLine(v.Known, j)
		}
		st.lines[j].serial = h.serial()
	}
	return st
}

// bury notes which lines of the base the change took away.
func (st *state) bury(r *Room, from *state, c change, by maker) {
	stays := r.flags.take(len(from.lines))
	for j := range c.of {
		if i := max(c.of[j], c.moved[j]); i >= 0 {
			stays[i] = true
		}
	}
	for i, l := range from.lines {
		if !stays[i] && l.origin >= 0 {
			st.gone[l.origin] = gone{true, by, c.lost[i]}
		}
	}
}

// returned finds among the new lines those that an earlier version had and the
// present has not: they are whose they were. It leaves the others.
func (h *History) returned(from, st *state, c change, fresh []int, by maker) []int {
	if len(fresh) == 0 || len(h.states) < 2 {
		return fresh
	}
	alive := h.room.flags.take(int(h.lines) + 1) // by serial
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
		back := h.room.flags.take(len(st.lines))
		seek := seeker{room: h.room, least: returnWeight, a: old.text.forms, b: st.text.forms}
		seek.find(lost, fresh, func(i, j int) {
			l := old.lines[i]
			back[j], alive[l.serial] = true, true
			if l.origin >= 0 {
				st.gone[l.origin] = gone{}
			}
			l.place(by, c.took[j])
			st.lines[j] = l
		})
		fresh = slices.DeleteFunc(fresh, func(j int) bool { return back[j] })
	}
	return fresh
}

// place notes who put a line of the base where it is.
func (l *written) place(by maker, modified bool) {
	if l.owner == before {
		l.placed, l.modified = by, modified
	}
}

func (h *History) knownLine(known []Line, j int) written {
	if j >= len(known) || known[j].Owner.Class == Before {
		return written{owner: h.maker(Owner{Class: Unknown}), origin: -1}
	}
	return written{owner: h.maker(known[j].Owner), origin: -1, modified: known[j].Modified}
}

// AppendLines adds the lines of the newest version to others. Lines of the base have
// the owner Before unless somebody moved or re-indented them.
func (h *History) AppendLines(lines []Line) []Line {
	st := h.last()
	lines = slices.Grow(lines, len(st.lines))
	for _, l := range st.lines {
		lines = append(lines, h.line(l))
	}
	return lines
}

func (h *History) line(l written) Line {
	if l.owner == before && l.placed != before {
		return Line{Owner: h.owners[l.placed], Moved: true, Modified: l.modified}
	}
	return Line{Owner: h.owners[l.owner], Modified: l.modified}
}
