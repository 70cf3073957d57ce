package attribution

// effort bounds the steps that one history spends on comparing: some 50 ms. What
// is left to compare then counts as different, and whose it is as unknown where
// that matters.
const effort = 4_000_000

// alignment pairs lines of two versions, in order: of[i] is the line of the older
// version that line i of the newer one is, or -1.
type alignment []int32

func (r *Room) unaligned(n int) alignment {
	of := alignment(r.numbers.take(n))
	for i := range of {
		of[i] = -1
	}
	return of
}

// myers finds longest common subsequences by E. W. Myers' algorithm in linear
// space ("An O(ND) Difference Algorithm and Its Variations", 1986).
type myers struct {
	room     *Room
	weight   []int32 // of forms, see words
	fwd, bwd []int32
	effort   int

	// Scratch, by id or form, empty between uses: which are in a text, and where.
	inA, inB []bool
	seen     []occurrence
}

// longest pairs as many lines as can be paired in order.
func (m *myers) longest(a, b []int32) alignment {
	of := m.room.unaligned(len(b))
	// Lines that only one side has are in no common subsequence.
	lo, ahi, bhi := trim(a, b, func(i, j int) { of[j] = int32(i) })
	m.inA, m.inB = mark(m.inA, a[lo:ahi], true), mark(m.inB, b[lo:bhi], true)
	ka, ia := m.keep(a[lo:ahi], m.inB, lo)
	kb, ib := m.keep(b[lo:bhi], m.inA, lo)
	m.inA, m.inB = mark(m.inA, a[lo:ahi], false), mark(m.inB, b[lo:bhi], false)
	m.pair(ka, kb, 0, 0, func(i, j int) { of[ib[j]] = ia[i] })
	return of
}

// mark notes elements, or that they are not there any more.
func mark(has []bool, ids []int32, there bool) []bool {
	for _, id := range ids {
		if int(id) >= len(has) {
			has = append(has, make([]bool, int(id)+1-len(has)+len(has)/2)...)
		}
		has[id] = there
	}
	return has
}

// keep are the elements that the other side has too, with their places.
func (m *myers) keep(ids []int32, has []bool, from int) (kept, at []int32) {
	kept, at = m.room.numbers.take(len(ids))[:0], m.room.numbers.take(len(ids))[:0]
	for i, id := range ids {
		if int(id) < len(has) && has[id] {
			kept, at = append(kept, id), append(at, int32(from+i))
		}
	}
	return kept, at
}

// trim pairs the common beginning and end and returns what lies between them:
// both from lo, to ahi and bhi.
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

// pair reports the pairs of a and b, which begin at ao and bo.
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

// middle is a snake in the middle of a shortest edit script; not ok when that
// took too long to find. Neither the first nor the last elements are equal.
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

// advance takes the paths of one direction h edits far and looks whether they
// meet those of the other. Backwards both sequences are read from their ends.
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
