package attribution

// Trace says which line of the older text each line of the newer is: the same, or
// the same but for white space, in place or moved. -1 is a line that the change
// wrote. Where comparing took too long, lines that are the same may count as
// written.
func Trace(older, newer []byte) []int32 {
	r := newRoom(effort)
	c := r.compare(r.words.read(older), r.words.read(newer))
	for j, i := range c.moved {
		if c.of[j] < 0 {
			c.of[j] = i
		}
	}
	return c.of
}

// Match finds lines of one list of prints again in another: of[j] is the one of
// was that now[j] is, or -1. Strong says of which of now it is enough to be found
// by itself; the others are found only beside those, in a row with them.
//
// What is there several times on a side is found only between neighbours that are
// there once: rather no line than a wrong one.
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
		m.spread(p)
	}
	for _, p := range anchors { // what was moved out of order
		m.spread(p)
	}
	m.between()
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

// spread pairs two lines and what stands beside them on both sides.
func (m *matcher) spread(p place) {
	if !m.pair(p.a, p.b) {
		return
	}
	for d := 1; m.pair(p.a-d, p.b-d); d++ {
	}
	for d := 1; m.pair(p.a+d, p.b+d); d++ {
	}
}

// between pairs what is left where as many lines stand on both sides between two
// pairs, line by line if all are equal.
func (m *matcher) between() {
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
