package attribution

// countEffort bounds the steps spent on comparing two versions by themselves:
// about a second.
const countEffort = 80_000_000

// Diff says of each line of the newer text whether it was added to the older, and
// of each line of the older whether it was removed: as many as Count counts.
func Diff(older, newer []byte) (added, removed []bool) {
	r := newRoom(countEffort)
	a, b := r.words.read(older), r.words.read(newer)
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

// Count is how many lines are to be added to the older text and removed from it
// to make the newer: the fewest possible, as git's --minimal --numstat counts
// them, unless that took too long to find. Binary text has no lines.
func Count(older, newer []byte) (added, removed int) {
	if Binary(older) || Binary(newer) {
		return 0, 0
	}
	r := newRoom(countEffort)
	a, b := r.words.read(older), r.words.read(newer)
	same := 0
	for _, i := range r.diff.longest(a.ids, b.ids) {
		if i >= 0 {
			same++
		}
	}
	return len(b.ids) - same, len(a.ids) - same
}
