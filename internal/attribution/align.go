package attribution

// Align pairs the equal lines of two versions of a text, in order: it returns for each
// line of the older version its line in the newer one, or -1. Its time is bounded; lines
// that it does not reach have no pair. Lines of binary text have none either.
func Align(older, newer []byte) []int {
	r := newWorkspace(effort)
	a, b := r.lineTable.read(older), r.lineTable.read(newer)
	r.diff.weight = r.lineTable.weight
	out := make([]int, len(a.ids))
	for i := range out {
		out[i] = -1
	}
	for j, i := range r.diff.align(a, b) {
		if i >= 0 && a.ids[i] == b.ids[j] {
			out[i] = j
		}
	}
	return out
}
