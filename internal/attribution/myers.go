package attribution

// effort bounds the steps that one history spends on comparisons: about 50 ms. Lines that
// are not compared by then count as different, and their owners as unknown where that
// matters.
const effort = 4_000_000

// alignment pairs lines of two versions, in order: of[i] is the line of the older version
// that is line i of the newer one, or -1.
type alignment []int32

func (r *Workspace) unaligned(n int) alignment {
	of := alignment(r.int32Slab.take(n))
	for i := range of {
		of[i] = -1
	}
	return of
}

// myers finds longest common subsequences by E. W. Myers' algorithm in linear
// space ("An O(ND) Difference Algorithm and Its Variations", 1986).
type myers struct {
	workspace *Workspace
	weight    []int32 // by form, see lineTable
	fwd, bwd  []int32
	effort    int

	// Scratch, by ID or form, empty between uses: whether a text has it, and where.
	inA, inB []bool
	seen     []occurrence
}

// longest pairs as many equal lines as possible, in order.
func (m *myers) longest(a, b []int32) alignment {
	of := m.workspace.unaligned(len(b))
	// A line that only one side has is in no common subsequence.
	lo, ahi, bhi := trim(a, b, func(i, j int) { of[j] = int32(i) })
	m.inA, m.inB = setPresence(m.inA, a[lo:ahi], true), setPresence(m.inB, b[lo:bhi], true)
	ka, ia := m.keep(a[lo:ahi], m.inB, lo)
	kb, ib := m.keep(b[lo:bhi], m.inA, lo)
	m.inA, m.inB = setPresence(m.inA, a[lo:ahi], false), setPresence(m.inB, b[lo:bhi], false)
	m.pair(ka, kb, 0, 0, func(i, j int) { of[ib[j]] = ia[i] })
	return of
}

// setPresence sets or clears the marks of elements.
func setPresence(has []bool, ids []int32, there bool) []bool {
	for _, id := range ids {
		if int(id) >= len(has) {
			has = append(has, make([]bool, int(id)+1-len(has)+len(has)/2)...)
		}
		has[id] = there
	}
	return has
}

// keep returns the elements that the other side has, too, with their places.
func (m *myers) keep(ids []int32, has []bool, from int) (kept, at []int32) {
	kept, at = m.workspace.int32Slab.take(len(ids))[:0], m.workspace.int32Slab.take(len(ids))[:0]
	for i, id := range ids {
		if int(id) < len(has) && has[id] {
			kept, at = append(kept, id), append(at, int32(from+i))
		}
	}
	return kept, at
}

// trim pairs the common beginning and end and returns the bounds of what lies between
// them: both from lo, to ahi and bhi.
func trim(a, b []int32, pair func(i, j int)) (lo, ahi, bhi int) {
	ahi, bhi = len(a), len(b)
	for lo < ahi && lo < bhi && a[lo] == b[lo] {
		pair(lo, lo)
		lo++
	}
	for ahi > lo && bhi > lo && a[ahi-1] == b[bhi-1] {
		ahi, bhi = ahi-1, bhi-1
		pair(ahi, bhi)
	}
	return lo, ahi, bhi
}

// pair calls found for the pairs of a and b, which begin at ao and bo.
func (m *myers) pair(a, b []int32, ao, bo int, found func(i, j int)) {
	lo, ahi, bhi := trim(a, b, func(i, j int) { found(ao+i, bo+j) })
	a, b, ao, bo = a[lo:ahi], b[lo:bhi], ao+lo, bo+lo
	if len(a) == 0 || len(b) == 0 {
		return
	}
	s, ok := m.middle(a, b)
	if !ok {
		return
	}
	m.pair(a[:s.x], b[:s.y], ao, bo, found)
	for i := range s.u - s.x {
		found(ao+s.x+i, bo+s.y+i)
	}
	m.pair(a[s.u:], b[s.v:], ao+s.u, bo+s.v, found)
}

// snake is a run of pairs from (x, y) to (u, v), possibly empty.
type snake struct{ x, y, u, v int }

// middle returns a snake in the middle of a shortest edit script; ok is false if the
// search took too long. Neither the first nor the last elements may be equal.
func (m *myers) middle(a, b []int32) (snake, bool) {
	n, k := len(a), len(b)
	size := n + k + 3 // diagonals from -k-1 to n+1
	m.fwd, m.bwd = cleared(m.fwd, size), cleared(m.bwd, size)
	for h := 0; h <= (n+k+1)/2; h++ {
		if m.effort -= 2*h + 2; m.effort < 0 {
			return snake{}, false
		}
		if s, ok := m.advance(a, b, h, false); ok {
			return s, true
		}
		if s, ok := m.advance(a, b, h, true); ok {
			return s, true
		}
	}
	return snake{}, false
}

func cleared(buf []int32, n int) []int32 {
	if cap(buf) < n {
		return make([]int32, n)
	}
	buf = buf[:n]
	clear(buf)
	return buf
}

// advance extends the paths of one direction to h edits and looks whether they meet those
// of the other. Backwards, it reads both sequences from their ends.
func (m *myers) advance(a, b []int32, h int, back bool) (snake, bool) {
	n, k := len(a), len(b)
	mine, theirs, odd := m.fwd, m.bwd, 1
	if back {
		mine, theirs, odd = m.bwd, m.fwd, 0
	}
	at := func(diag int) int { return diag + k + 1 }
	for d := -(h - 2*max(0, h-k)); d <= h-2*max(0, h-n); d += 2 {
		x := 0
		if d == -h || d != h && mine[at(d-1)] < mine[at(d+1)] {
			x = int(mine[at(d+1)])
		} else {
			x = int(mine[at(d-1)]) + 1
		}
		u := x
		if back {
			for u < n && u-d < k && a[n-1-u] == b[k-1-u+d] {
				u++
			}
		} else {
			for u < n && u-d < k && a[u] == b[u-d] {
				u++
			}
		}
		m.effort -= u - x
		mine[at(d)] = int32(u)
		z := n - k - d
		if (n+k)&1 != odd || z < -(h-odd) || z > h-odd || u+int(theirs[at(z)]) < n {
			continue
		}
		if back {
			return snake{n - u, k - (u - d), n - x, k - (x - d)}, true
		}
		return snake{x, x - d, u, u - d}, true
	}
	return snake{}, false
}
