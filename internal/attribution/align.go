package attribution

// Align pairs the lines of two versions of a text that are equal to the byte, in
// order: for each line of the older one its place in the newer one, -1 where it
// has none. It takes bounded time; what is left to compare then has no pair. So
// have the lines of binary text.
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
