package attribution

// Align pairs the equal lines of two versions of a text, in order: it returns for each
// line of the older version its line in the newer one, or -1. Its time is bounded; lines
// that it does not reach have no pair. Lines of binary text have none either.
func Align(older, newer []byte) []int {
	r := newRoom(effort)
	a, b := r.words.read(older), r.words.read(newer)
	r.diff.weight = r.words.weight
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
