package strategy

import (
	"maps"
	"slices"

	"entire/internal/attribution"
)

// markMoved marks the lines that the commit removed from one file and added to another. Such lines
// were not written by whoever moved them: they keep their history, as lines do that move within a
// file.
func markMoved(files map[string]foldedFile) {
	from := map[attribution.Print][]string{} // the files that lost a line
	paths := slices.Sorted(maps.Keys(files))
	for _, path := range paths {
		for _, p := range files[path].gone {
			if list := from[p]; len(list) == 0 || list[len(list)-1] != path {
				from[p] = append(list, path)
			}
		}
	}
	if len(from) == 0 {
		return
	}
	for _, path := range paths {
		f := files[path]
		var at []int // lines that may come from another file
		sources := map[string]bool{}
		for i, l := range f.Lines {
			if !l.Added || l.Moved {
				continue
			}
			at = append(at, i)
			for _, source := range from[f.prints[i]] {
				sources[source] = sources[source] || f.strong[i]
			}
		}
		for _, source := range slices.Sorted(maps.Keys(sources)) {
			if sources[source] {
				at = f.takeFrom(files[source].gone, at)
			}
		}
	}
}

// takeFrom marks those of the lines at the indexes at that the other file lost, and returns the
// indexes of the others.
func (f foldedFile) takeFrom(gone attribution.Prints, at []int) []int {
	now, strong := make(attribution.Prints, len(at)), make([]bool, len(at))
	for k, i := range at {
		now[k], strong[k] = f.prints[i], f.strong[i]
	}
	var rest []int
	for k, i := range attribution.Match(gone, now, strong) {
		if i < 0 {
			rest = append(rest, at[k])
			continue
		}
		f.Lines[at[k]].Moved = true
	}
	return rest
}
