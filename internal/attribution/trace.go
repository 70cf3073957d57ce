package attribution

// Trace returns for each line of the newer text the line of the older one that it is, in
// place or moved, equal but for its format, or the line in which it began before a formatter
// broke it; -1 for a line that the change wrote. If the
// comparison takes too long, equal lines may count as written.
func Trace(older, newer []byte) []int32 { return new(Workspace).Trace(older, newer) }

// Trace is [Trace] with the memory of the Workspace, whose earlier histories must not be used
// afterwards.
func (r *Workspace) Trace(older, newer []byte) []int32 {
	t, c := r.compareTexts(older, newer)
	for j, i := range c.moved {
		if c.of[j] < 0 {
			c.of[j] = i
		}
	}
	return t.whole(c.of)
}

// Kept is Trace without the lines that moved.
func (r *Workspace) Kept(older, newer []byte) []int32 {
	t, c := r.compareTexts(older, newer)
	return t.whole(c.of)
}

// Match finds lines of one list of prints in another: of[j] is the index in was of now[j],
// or -1. Strong marks the elements of now that are distinctive; others are found only next
// to those.
//
// A print that occurs several times on a side is found only between neighbours that occur
// once: a missing pair is better than a wrong one.
func Match(was, now Prints, strong []bool) []int32 {
	m := matcher{was: was, now: now, of: make([]int32, len(now)), taken: make([]bool, len(was))}
	for j := range m.of {
		m.of[j] = -1
	}
	once := m.uniques()
	var anchors []place
	for _, p := range once {
		if strong[p.b] {
			anchors = append(anchors, p)
		}
	}
	for _, p := range increasing(anchors) {
		m.pairAround(p)
	}
	for _, p := range anchors { // then lines that moved out of order
		m.pairAround(p)
	}
	m.fillGaps()
	return m.of
}

type matcher struct {
	was, now Prints
	of       []int32
	taken    []bool
}

func (m *matcher) uniques() []place {
	type seen struct{ a, b, na, nb int }
	count := make(map[Print]seen, len(m.was))
	for i, p := range m.was {
		s := count[p]
		s.a, s.na = i, s.na+1
		count[p] = s
	}
	for j, p := range m.now {
		if s, ok := count[p]; ok {
			s.b, s.nb = j, s.nb+1
			count[p] = s
		}
	}
	var out []place
	for j, p := range m.now {
		if s := count[p]; s.na == 1 && s.nb == 1 {
			out = append(out, place{s.a, j})
		}
	}
	return out
}

func (m *matcher) pair(i, j int) bool {
	if i < 0 || j < 0 || i >= len(m.was) || j >= len(m.now) || m.taken[i] || m.of[j] >= 0 || m.was[i] != m.now[j] {
		return false
	}
	m.taken[i], m.of[j] = true, int32(i)
	return true
}

// pairAround pairs two lines and their equal neighbours on both sides.
func (m *matcher) pairAround(p place) {
	if !m.pair(p.a, p.b) {
		return
	}
	for d := 1; m.pair(p.a-d, p.b-d); d++ {
	}
	for d := 1; m.pair(p.a+d, p.b+d); d++ {
	}
}

// fillGaps pairs the remaining lines between two pairs, if both sides have the same number
// of lines there and all are equal.
func (m *matcher) fillGaps() {
	last := -1
	for j := range m.of {
		if m.of[j] < 0 {
			continue
		}
		if last >= 0 && j-last > 1 && int(m.of[j]-m.of[last]) == j-last {
			for d := 1; d < j-last; d++ {
				m.pair(int(m.of[last])+d, last+d)
			}
		}
		last = j
	}
}
