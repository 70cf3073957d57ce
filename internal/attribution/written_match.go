package attribution

import "slices"

// Match finds recorded lines as [Match] does. It also matches lines that recur between two pairs, if all of them are
// recorded there in this order and only one owner wrote lines like them: it then does not matter which is which.
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
	return of
}

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
