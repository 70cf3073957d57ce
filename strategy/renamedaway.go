package strategy

import (
	"maps"
	"slices"

	"entire/internal/git"
)

// renamed looks for a new file among those that the session made and that are not
// in the worktree any more.
func (e *evidence) renamed(w work, c git.Change) bool {
	var gone []fileState
	for _, path := range slices.Sorted(maps.Keys(w.left)) {
		if f := w.left[path]; isBlob(f.mode) && w.touched[path] && len(gone) < renamedMax {
			gone = append(gone, f)
		}
	}
	if len(gone) == 0 {
		return false
	}
	wt, err := e.s.repo.OpenWorktree()
	if err != nil {
		return false
	}
	defer wt.Close()
	for _, f := range gone {
		if _, err := wt.Lstat(f.path); err == nil || f.oid != c.New && !e.related(f.oid, c.New) {
			continue
		}
		if spells, _ := e.own(w, f.path); len(spells) > 0 && spells[0].from.mode == 0 {
			return true
		}
	}
	return false
}
