package sessionstate

import (
	"path/filepath"
	"strings"
)

// Linked returns the file of the worktree to which a path in it leads through symbolic links, the path itself if it leads
// nowhere or out of the worktree: an editing tool writes that file. Both are relative to the top.
func (s *Env) Linked(rel string) string {
	if at, known := s.linked[rel]; known {
		return at
	}
	if s.linked == nil {
		s.linked = map[string]string{}
	}
	at := rel
	if real, err := filepath.EvalSymlinks(filepath.Join(s.Repo.Top, filepath.FromSlash(rel))); err == nil {
		if s.realTop == "" {
			if s.realTop, err = filepath.EvalSymlinks(s.Repo.Top); err != nil {
				s.realTop = s.Repo.Top
			}
		}
		below, err := filepath.Rel(s.realTop, real)
		if below = filepath.ToSlash(below); err == nil && filepath.IsLocal(below) && !strings.EqualFold(below, rel) {
			at = below
		}
	}
	s.linked[rel] = at
	return at
}
