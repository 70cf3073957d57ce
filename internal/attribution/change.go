package attribution

const (
	// aloneWeight is how many characters other than white space a line must have to be
	// recognised elsewhere in the file by itself.
	aloneWeight = 4
	// returnWeight is the same for a line that comes back after it was removed.
	returnWeight = 8
)

// change is the comparison of two versions.
type change struct {
	of    alignment // pairs in order: lines that are equal, or equal but for their format
	moved alignment // pairs of lines that moved within the file, or that a formatter ended elsewhere
	// replacing marks the new lines that replaced removed ones, replaced the lines that they
	// replaced.
	replacing, replaced []bool
}

// compare compares two whole texts.
func (r *Workspace) compare(a, b text) change {
	c, _ := r.compareTrimmed(trimmed{a: a, b: b})
	return c
}

// compareTrimmed reports false if lines that were left out may decide which ones are new.
func (r *Workspace) compareTrimmed(t trimmed) (c change, within bool) {
	m, a, b := &r.diff, t.a, t.b
	m.weight = r.lineTable.weight
	c = change{of: m.align(a, b), moved: r.unaligned(len(b.ids)), replacing: r.boolSlab.take(len(b.ids)), replaced: r.boolSlab.take(len(a.ids))}
	c.gaps(len(a.ids), func(i, ahi, j, bhi int) {
		for k, from := range m.longest(a.forms[i:ahi], b.forms[j:bhi]) {
			if from >= 0 {
				c.of[j+k] = int32(i) + from
			}
		}
	})
	if !r.slide(t.pairs(r, c.of)) {
		return c, false
	}
	c.findMoves(r, a.forms, b.forms)
	c.findRewrapped(r, a.forms, b.forms)
	c.findReplaced(r, len(a.ids))
	return c, true
}

// gaps calls visit for each stretch between the pairs in order: lines i to ahi of the
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

// findMoves pairs lines that were removed at one place and added at another.
func (c *change) findMoves(r *Workspace, a, b []int32) {
	removed, added := c.unpaired(len(a))
	known := finder{workspace: r, least: aloneWeight, a: a, b: b}
	known.find(removed, added, func(i, j int) { c.moved[j] = int32(i) })
}

// finder pairs lines that are out of order: those that occur once on each side and have at
// least the weight least, and then their equal neighbours.
type finder struct {
	workspace *Workspace
	least     int32
	a, b      []int32 // forms
}

// find pairs removed lines with added ones of the same form: first lines that both have once, and from each
// of these outwards the lines around it.
func (s finder) find(removed, added []int, found func(i, j int)) {
	if len(removed) == 0 || len(added) == 0 {
		return
	}
	weight := s.workspace.lineTable.weight
	inA, inB := s.workspace.int32Slab.take(len(weight)), s.workspace.int32Slab.take(len(weight)) // by form: its line plus 1; 0 for none, -1 for several
	freeA, freeB := s.workspace.boolSlab.take(len(s.a)), s.workspace.boolSlab.take(len(s.b))
	for _, i := range removed {
		freeA[i] = true
		noteOnce(inA, s.a[i], i)
	}
	for _, j := range added {
		freeB[j] = true
		noteOnce(inB, s.b[j], j)
	}
	pair := func(i, j int) bool {
		if i < 0 || j < 0 || i >= len(s.a) || j >= len(s.b) || !freeA[i] || !freeB[j] || s.a[i] != s.b[j] {
			return false
		}
		freeA[i], freeB[j] = false, false
		found(i, j)
		return true
	}
	for _, j := range added {
		form := s.b[j]
		i := int(inA[form]) - 1
		if i < 0 || inB[form] < 0 || weight[form] < s.least || !pair(i, j) {
			continue
		}
		for d := 1; pair(i-d, j-d); d++ {
		}
		for d := 1; pair(i+d, j+d); d++ {
		}
	}
}

func noteOnce(at []int32, form int32, i int) {
	if at[form] != 0 {
		at[form] = -1
	} else {
		at[form] = int32(i) + 1
	}
}

// unpaired returns the lines of both versions that are not paired in order.
func (c *change) unpaired(na int) (removed, added []int) {
	c.gaps(na, func(i, ahi, j, bhi int) {
		for ; i < ahi; i++ {
			removed = append(removed, i)
		}
		for ; j < bhi; j++ {
			added = append(added, j)
		}
	})
	return removed, added
}

// findReplaced pairs the written lines with the removed ones, gap by gap.
func (c *change) findReplaced(r *Workspace, na int) {
	left := r.boolSlab.take(na)
	for _, i := range c.moved {
		if i >= 0 {
			left[i] = true
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
			c.replaced[i], c.replacing[j] = true, true
			i, j = i+1, j+1
		}
	})
}
