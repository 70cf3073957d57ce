package lineage

import "entire/internal/attribution"

// leaveDropped leaves lines to nobody that an agent once wrote in the file, and that
// the commit it was done for has not: whether a person has written the same again, or
// only brought it back (an editor's undo, a stash), nothing tells.
func (s *search) leaveDropped(list []candidate) {
	dropped := map[attribution.Print]bool{}
	for _, c := range list {
		for _, p := range c.file.Dropped {
			dropped[p] = true
		}
	}
	if len(dropped) == 0 {
		return
	}
	count := map[attribution.Print]int{}
	for _, p := range s.prints {
		count[p]++
	}
	for _, i := range s.left {
		if p := s.prints[i]; dropped[p] && s.strong[i] && count[p] == 1 && !s.before[p] {
			s.give(i, found{Origin: unknown(None)})
		}
	}
	s.drop()
}
