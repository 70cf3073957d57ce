package attribution

import "slices"

// Match finds recorded lines as [Match] does. It also matches lines that recur between two pairs, if all of them are
// recorded there in this order and only one owner wrote lines like them: it then does not matter which is which. So it
// does for a strong line that recurs anywhere, if the record has it as often as now does.
func (was Written) Match(now Prints, strong []bool) []int32 {
	of := Match(was.Prints, now, strong)
	used, last := make([]bool, len(was.Prints)), -1
	for _, i := range of {
		if i >= 0 {
			used[i] = true
		}
	}
	for j, i := range of {
		if i < 0 {
			continue
		}
		if last >= 0 && of[last] < i && last+1 < j {
			fillBetween(was, now, of, used, last, j)
		}
		last = j
	}
	fillRecurring(was, now, strong, of)
	return of
}

// fillRecurring matches the strong lines that only one session or person wrote, and at least as often as they are left in
// now.
func fillRecurring(was Written, now Prints, strong []bool, of []int32) {
	left := map[Print][]int32{} // indexes in now
	for j, i := range of {
		if i < 0 && strong[j] {
			left[now[j]] = append(left[now[j]], int32(j))
		}
	}
	if len(left) == 0 {
		return
	}
	used := make([]bool, len(was.Prints))
	for _, i := range of {
		if i >= 0 {
			used[i] = true
		}
	}
	free, first, several := map[Print][]int32{}, map[Print]int{}, map[Print]bool{}
	for i, p := range was.Prints {
		if at, known := first[p]; !known {
			first[p] = i
		} else if !sameWriter(was.owner(was.Ranges[at]), was.owner(was.Ranges[i])) {
			several[p] = true
		}
		if !used[i] {
			free[p] = append(free[p], int32(i))
		}
	}
	for p, at := range left {
		if list := free[p]; !several[p] && len(list) >= len(at) {
			for k, j := range at {
				of[j] = list[k]
			}
		}
	}
}

// Place is a line of one of several records: the record's index, and the range that has the line; nil for none.
type Place struct {
	Record int
	Range  *Range
}

// SameLines finds lines in records that have together exactly these lines, in whatever order. A line has no place if
// several wrote lines like it. SameLines returns nil if the records have other lines.
func SameLines(now Prints, was []Written) []Place {
	places, several, n := map[Print][]Place{}, map[Print]bool{}, 0
	for k, w := range was {
		for i, p := range w.Prints {
			if same := places[p]; len(same) > 0 && !sameWriter(was[same[0].Record].owner(same[0].Range), w.owner(w.Ranges[i])) {
				several[p] = true
			}
			places[p] = append(places[p], Place{k, w.Ranges[i]})
		}
		n += len(w.Prints)
	}
	if n != len(now) {
		return nil
	}
	out := make([]Place, len(now))
	for j, p := range now {
		if len(places[p]) == 0 {
			return nil
		}
		if !several[p] {
			out[j] = places[p][0]
		}
		places[p] = places[p][1:]
	}
	return out
}

func (was Written) owner(g *Range) RecordOwner { return was.owners[g.Owner] }

// fillBetween matches the lines between two matched ones.
func fillBetween(was Written, now Prints, of []int32, used []bool, from, to int) {
	lo, hi := of[from]+1, of[to]
	owner, free := map[Print]int{}, []int32{}
	for i := lo; i < hi; i++ {
		if used[i] {
			continue
		}
		by, p := was.Ranges[i].Owner, was.Prints[i]
		if other, known := owner[p]; known && other != by {
			by = -1
		}
		owner[p], free = by, append(free, i)
	}
	found := make([]int32, 0, to-from-1)
	for j := from + 1; j < to; j++ {
		k := slices.IndexFunc(free, func(i int32) bool { return was.Prints[i] == now[j] })
		if k < 0 || owner[now[j]] < 0 {
			return
		}
		found, free = append(found, free[k]), free[k+1:]
	}
	copy(of[from+1:to], found)
}

// sameWriter reports whether one session, or a person, wrote two lines, in whatever turns and calls.
func sameWriter(a, b RecordOwner) bool { return a.Class == b.Class && a.SessionID == b.SessionID }
