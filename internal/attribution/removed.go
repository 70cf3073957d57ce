package attribution

// RemovedLines returns the lines of a text that its next version has less often, and their places. It returns none if no
// wanted distinctive line is among them, so that most files of a commit are skipped cheaply.
func (r *Workspace) RemovedLines(before, after []byte, wanted Prints, strong []bool) (gone Prints, at []int) {
	more := map[string]int{} // how much more often the text has a line
	for _, line := range SplitLines(before) {
		more[string(line)]++
	}
	for _, line := range SplitLines(after) {
		more[string(line)]--
	}
	some, want := map[Print]bool{}, false
	for k, p := range wanted {
		some[p] = some[p] || strong[k]
	}
	for line, n := range more {
		want = want || n > 0 && some[PrintLine([]byte(line))]
	}
	if !want {
		return nil, nil
	}
	kept := map[int32]bool{}
	for _, i := range r.Trace(before, after) {
		kept[i] = true
	}
	was := PrintLines(before)
	for i, line := range SplitLines(before) {
		if more[string(line)] > 0 && !kept[int32(i)] {
			gone, at = append(gone, was[i]), append(at, i)
		}
	}
	return gone, at
}
