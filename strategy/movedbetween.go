package strategy

import (
	"maps"
	"slices"

	"entire/internal/attribution"
)

// markMoved finds the lines that the commit took out of one file and put into
// another. Whoever did that has not written them: they keep the history that they
// had, as lines do that are moved within a file.
func markMoved(files map[string]foldedFile) {
	from := map[attribution.Print][]string{} // the files that a line was taken out of
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
		var at []int // the lines that may be another's
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

// takeFrom marks those of some lines that are among the ones taken out of another
// file, and returns the rest.
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
