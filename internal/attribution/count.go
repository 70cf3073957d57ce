package attribution

// countEffort bounds the steps of one comparison of two versions: about a second.
const countEffort = 80_000_000

// Diff reports for each line of the newer text whether it was added, and for each line of
// the older text whether it was removed; the numbers equal those of Count.
func Diff(older, newer []byte) (added, removed []bool) { return new(Workspace).Diff(older, newer) }

// Diff is [Diff] with the memory of the Workspace, whose earlier histories must not be used
// afterwards.
func (r *Workspace) Diff(older, newer []byte) (added, removed []bool) {
	t, of := r.longestOf(older, newer)
	na, nb := t.lines()
	added, removed = make([]bool, nb), make([]bool, na)
	between := removed[t.before : na-t.after]
	for i := range between {
		between[i] = true
	}
	for j, i := range of {
		if added[t.before+j] = i < 0; i >= 0 {
			between[i] = false
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
	t := r.trim(older, newer)
	same := 0
	for _, i := range r.diff.longest(t.a.ids, t.b.ids) {
		if i >= 0 {
			same++
		}
	}
	return len(t.b.ids) - same, len(t.a.ids) - same
}
