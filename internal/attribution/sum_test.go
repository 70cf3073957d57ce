package attribution_test

import "entire/internal/attribution"

// sum is the total of a commit.
type sum struct {
	Added, Removed int // as git counts them

	// ByOwner counts the added lines of each owner, Modified those of them that replaced
	// others. Gone counts the removed lines, by who removed them, that no line replaced.
	ByOwner, Modified, Deleted map[attribution.Owner]int
}

// add adds one file to the total.
func (s *sum) add(f attribution.File) {
	if s.ByOwner == nil {
		s.ByOwner, s.Modified, s.Deleted = map[attribution.Owner]int{}, map[attribution.Owner]int{}, map[attribution.Owner]int{}
	}
	for _, l := range f.Lines {
		if !l.Added {
			continue
		}
		s.Added++
		s.ByOwner[l.Owner]++
		if l.Modified {
			s.Modified[l.Owner]++
		}
	}
	s.Removed += len(f.Removed)
	for _, r := range f.Removed {
		if !r.Replaced {
			s.Deleted[r.Owner]++
		}
	}
}
