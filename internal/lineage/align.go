package lineage

import "entire/internal/attribution"

// align matches lines without an owner with recorded ones. If the commit names the
// record's checkpoint (linked), it also matches an equal beginning and an equal end, even
// of lines that are not distinctive.
func align(was, now attribution.Prints, strong []bool, linked bool) []int32 {
	of := attribution.Match(was, now, strong)
	if !linked {
		return of
	}
	used := map[int32]bool{}
	for _, i := range of {
		if i >= 0 {
			used[i] = true
		}
	}
	lo := 0
	for lo < len(was) && lo < len(now) && was[lo] == now[lo] && (of[lo] == int32(lo) || of[lo] < 0 && !used[int32(lo)]) {
		of[lo], used[int32(lo)] = int32(lo), true
		lo++
	}
	for i, j := len(was)-1, len(now)-1; i >= lo && j >= lo && was[i] == now[j] && (of[j] == int32(i) || of[j] < 0 && !used[int32(i)]); i, j = i-1, j-1 {
		of[j], used[int32(i)] = int32(i), true
	}
	return of
}
