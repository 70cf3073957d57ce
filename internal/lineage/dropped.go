package lineage

import (
	"entire/internal/attribution"
	"entire/internal/pathtext"
)

// markDropped marks as unknown the lines that an agent once wrote in the file and that
// its commit did not keep. Nothing shows whether a person wrote such a line again or
// brought it back (by an editor's undo, or a stash).
func (s *search) markDropped(list []candidate) {
	dropped := map[attribution.Print]bool{}
	for _, c := range list {
		for _, p := range c.file.Dropped {
			dropped[p] = true
		}
	}
	for _, rec := range s.v.c.records() {
		if f := rec.File(pathtext.Encode(s.v.key.path)); f != nil {
			for _, p := range f.Dropped {
				dropped[p] = true
			}
		}
	}
	if len(dropped) == 0 {
		return
	}
	count := map[attribution.Print]int{}
	for _, p := range s.prints {
		count[p]++
	}
	for _, i := range s.pending {
		if p := s.prints[i]; dropped[p] && s.distinctive[i] && count[p] == 1 && !s.inParent[p] {
			s.assign(i, source{Origin: unknown(None)})
		}
	}
	s.dropAssigned()
}
