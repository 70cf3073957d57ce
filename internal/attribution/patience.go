package attribution

import "slices"

// align pairs the lines of two versions in order, as a reader would: first the forms that
// occur exactly once in both (patience diff), with the lines that were re-indented next to
// them; then as many equal lines between them as possible.
func (m *myers) align(a, b text) alignment {
	of := m.workspace.unaligned(len(b.ids))
	m.anchored(a, b, 0, 0, func(i, j int) { of[j] = int32(i) })
	return of
}

// equalEnds returns the ends of the equal beginning and the start of the equal ends of a
// and b. If the versions differ, both stop at a line with words in it: the lines before a
// bracket decide which one it is.
func (m *myers) equalEnds(a, b text) (lo, ahi, bhi int) {
	lo, ahi, bhi = trim(a.ids, b.ids, func(int, int) {})
	if lo == ahi && lo == bhi {
		return lo, ahi, bhi
	}
	for lo > 0 && m.weight[a.forms[lo-1]] < wordWeight {
		lo--
	}
	for ahi < len(a.ids) && m.weight[a.forms[ahi]] < wordWeight {
		ahi, bhi = ahi+1, bhi+1
	}
	return lo, ahi, bhi
}

// wordWeight is the least weight of a line that is more than a bracket.
const wordWeight = 3

// anchored pairs the lines of two texts, which begin at lines ao and bo: equal ends, then the lines that
// each text has once and the re-indented lines around them, then what lies between. A text without such
// lines gets the longest common sequence; when the effort is used up, lines stay unpaired.
func (m *myers) anchored(a, b text, ao, bo int, found func(i, j int)) {
	lo, ahi, bhi := m.equalEnds(a, b)
	for i := range lo {
		found(ao+i, bo+i)
	}
	for i := ahi; i < len(a.ids); i++ {
		found(ao+i, bo+bhi-ahi+i)
	}
	a, b, ao, bo = a.part(lo, ahi), b.part(lo, bhi), ao+lo, bo+lo
	m.effort -= len(a.ids) + len(b.ids)
	if len(a.ids) == 0 || len(b.ids) == 0 || m.effort < 0 {
		return
	}
	anchors := increasing(m.unique(a.forms, b.forms))
	if len(anchors) == 0 {
		for j, i := range m.longest(a.ids, b.ids) {
			if i >= 0 {
				found(ao+int(i), bo+j)
			}
		}
		return
	}
	i, j := 0, 0
	for n, p := range anchors {
		if p.a < i || p.b < j { // already paired, from the anchor before
			continue
		}
		found(ao+p.a, bo+p.b)
		up := a.reindented(b, p, i, j, -1)
		for d := 1; d <= up; d++ {
			found(ao+p.a-d, bo+p.b-d)
		}
		if i < p.a-up || j < p.b-up {
			m.anchored(a.part(i, p.a-up), b.part(j, p.b-up), ao+i, bo+j, found)
		}
		ahi, bhi := len(a.ids), len(b.ids)
		if n+1 < len(anchors) {
			ahi, bhi = anchors[n+1].a, anchors[n+1].b
		}
		down := a.reindented(b, p, ahi, bhi, 1)
		for d := 1; d <= down; d++ {
			found(ao+p.a+d, bo+p.b+d)
		}
		i, j = p.a+down+1, p.b+down+1
	}
	m.anchored(a.part(i, len(a.ids)), b.part(j, len(b.ids)), ao+i, bo+j, found)
}

// reindented counts the neighbours of a re-indented line, in one direction and up to the
// given ends, that are re-indented, too.
func (t text) reindented(b text, p place, aend, bend, dir int) int {
	if t.ids[p.a] == b.ids[p.b] {
		return 0
	}
	n := 0
	for {
		i, j := p.a+dir*(n+1), p.b+dir*(n+1)
		if dir > 0 && (i >= aend || j >= bend) || dir < 0 && (i < aend || j < bend) {
			return n
		}
		if t.forms[i] != b.forms[j] || t.ids[i] == b.ids[j] {
			return n
		}
		n++
	}
}

type place struct{ a, b int }

// occurrence holds where a form last occurs in the first text, and how often in each text.
type occurrence struct{ a, na, nb int32 }

// unique pairs the forms that occur exactly once on each side, in b's order.
func (m *myers) unique(a, b []int32) []place {
	if n := len(m.weight); n > len(m.seen) {
		m.seen = append(m.seen, make([]occurrence, n-len(m.seen)+n/8)...)
	}
	for i, id := range a {
		m.seen[id].a = int32(i)
		m.seen[id].na++
	}
	for _, id := range b {
		m.seen[id].nb++
	}
	out := make([]place, 0, min(len(a), len(b)))
	for j, id := range b {
		if s := m.seen[id]; s.na == 1 && s.nb == 1 {
			out = append(out, place{int(s.a), j})
		}
	}
	for _, id := range a {
		m.seen[id] = occurrence{}
	}
	for _, id := range b {
		m.seen[id] = occurrence{}
	}
	return out
}

// increasing returns the longest subsequence of places that increases on both sides.
func increasing(places []place) []place {
	if slices.IsSortedFunc(places, func(p, q place) int { return p.a - q.a }) {
		return places // no line was moved
	}
	var piles []int // the index of each pile's top
	prev := make([]int, len(places))
	for i, p := range places {
		n, _ := slices.BinarySearchFunc(piles, p.a, func(top, a int) int { return places[top].a - a })
		prev[i] = -1
		if n > 0 {
			prev[i] = piles[n-1]
		}
		if n == len(piles) {
			piles = append(piles, i)
		} else {
			piles[n] = i
		}
	}
	out := make([]place, len(piles))
	if len(piles) == 0 {
		return nil
	}
	for i, n := piles[len(piles)-1], len(piles)-1; n >= 0; i, n = prev[i], n-1 {
		out[n] = places[i]
	}
	return out
}
