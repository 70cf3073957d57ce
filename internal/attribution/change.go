package attribution

const (
	// aloneWeight is how many characters other than white space a line must have
	// to be known again elsewhere without neighbours that moved along.
	aloneWeight = 4
	// returnWeight is the same for a line that comes back after it was removed.
	returnWeight = 8
)

// change is how one version became another.
type change struct {
	of    alignment // in order: equal, or equal but for white space
	moved alignment // elsewhere in the file
	// took marks the new lines that stand where others were removed, lost those.
	took, lost map[int]bool
}

func (m *myers) compare(w *words, a, b text) change {
	m.weight = w.weight
	c := change{of: m.align(a, b), moved: unaligned(len(b.ids)), took: map[int]bool{}, lost: map[int]bool{}}
	c.gaps(len(a.ids), func(i, ahi, j, bhi int) {
		for k, from := range m.longest(a.forms[i:ahi], b.forms[j:bhi]) {
			if from >= 0 {
				c.of[j+k] = int32(i) + from
			}
		}
	})
	c.findMoves(w, a.forms, b.forms)
	c.findReplaced(len(a.ids))
	return c
}

// gaps are the stretches between what is paired in order: lines i to ahi of the
// older version, j to bhi of the newer.
func (c *change) gaps(na int, visit func(i, ahi, j, bhi int)) {
	i, j := 0, 0
	for k := 0; k <= len(c.of); k++ {
		to := na
		if k < len(c.of) {
			if c.of[k] < 0 {
				continue
			}
			to = int(c.of[k])
		}
		if to > i || k > j {
			visit(i, to, j, k)
		}
		i, j = to+1, k+1
	}
}

// findMoves pairs lines that went away at one place and appeared at another.
func (c *change) findMoves(w *words, a, b []int32) {
	gone, came := c.loose(len(a))
	known := seeker{weight: w.weight, least: aloneWeight, a: a, b: b}
	known.find(gone, came, func(i, j int) { c.moved[j] = int32(i) })
}

// seeker finds lines again that are out of order: those that are there once, with
// enough in them to be no coincidence, and with them their neighbours in a row.
type seeker struct {
	weight []int32
	least  int32
	a, b   []int32 // forms
}

func (s seeker) find(gone, came []int, found func(i, j int)) {
	if len(gone) == 0 || len(came) == 0 {
		return
	}
	inA, inB := map[int32]int{}, map[int32]int{} // form to line, -1 when there are several
	freeA, freeB := make([]bool, len(s.a)), make([]bool, len(s.b))
	for _, i := range gone {
		freeA[i] = true
		once(inA, s.a[i], i)
	}
	for _, j := range came {
		freeB[j] = true
		once(inB, s.b[j], j)
	}
	pair := func(i, j int) bool {
		if i < 0 || j < 0 || i >= len(s.a) || j >= len(s.b) || !freeA[i] || !freeB[j] || s.a[i] != s.b[j] {
			return false
		}
		freeA[i], freeB[j] = false, false
		found(i, j)
		return true
	}
	for _, j := range came {
		i, ok := inA[s.b[j]]
		if !ok || i < 0 || inB[s.b[j]] < 0 || s.weight[s.b[j]] < s.least || !pair(i, j) {
			continue
		}
		for d := 1; pair(i-d, j-d); d++ {
		}
		for d := 1; pair(i+d, j+d); d++ {
		}
	}
}

func once(at map[int32]int, form int32, i int) {
	if _, twice := at[form]; twice {
		i = -1
	}
	at[form] = i
}

// loose are the lines of both versions that are not paired in order.
func (c *change) loose(na int) (gone, came []int) {
	c.gaps(na, func(i, ahi, j, bhi int) {
		for ; i < ahi; i++ {
			gone = append(gone, i)
		}
		for ; j < bhi; j++ {
			came = append(came, j)
		}
	})
	return gone, came
}

// findReplaced pairs off, gap by gap, what was written with what was removed.
func (c *change) findReplaced(na int) {
	left := map[int]bool{}
	for _, i := range c.moved {
		if i >= 0 {
			left[int(i)] = true
		}
	}
	c.gaps(na, func(i, ahi, j, bhi int) {
		for {
			for i < ahi && left[i] {
				i++
			}
			for j < bhi && c.moved[j] >= 0 {
				j++
			}
			if i == ahi || j == bhi {
				return
			}
			c.lost[i], c.took[j] = true, true
			i, j = i+1, j+1
		}
	})
}
