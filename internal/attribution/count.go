package attribution

// countEffort bounds the steps of one comparison of two versions: about a second.
const countEffort = 80_000_000

// Diff reports for each line of the newer text whether it was added, and for each line of
// the older text whether it was removed; the numbers equal those of Count.
func Diff(older, newer []byte) (added, removed []bool) {
	r := newWorkspace(countEffort)
	a, b := r.lineTable.read(older), r.lineTable.read(newer)
	added, removed = make([]bool, len(b.ids)), make([]bool, len(a.ids))
	for i := range removed {
		removed[i] = true
	}
	for j, i := range r.diff.longest(a.ids, b.ids) {
		if added[j] = i < 0; i >= 0 {
			removed[i] = false
		}
	}
	return added, removed
}

// Count returns how many lines must be added to the older text and removed from it to get
// the newer one: the fewest possible, as git's --minimal --numstat counts them, unless the
// search takes too long. Binary text has no lines.
func Count(older, newer []byte) (added, removed int) {
	if Binary(older) || Binary(newer) {
		return 0, 0
	}
	r := newWorkspace(countEffort)
	a, b := r.lineTable.read(older), r.lineTable.read(newer)
	same := 0
	for _, i := range r.diff.longest(a.ids, b.ids) {
		if i >= 0 {
			same++
		}
	}
	return len(b.ids) - same, len(a.ids) - same
}
