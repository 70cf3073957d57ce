package strategy

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"entire/internal/git"
)

// isGone reports that nothing is in the worktree at a path.
func (s *ManualCommitStrategy) isGone(path string) bool {
	_, err := os.Lstat(filepath.Join(s.repo.Top, filepath.FromSlash(path)))
	return errors.Is(err, fs.ErrNotExist)
}

// renamed looks for a new file among those that the session made and that are not
// in the worktree any more.
func (e *evidence) renamed(w work, c git.Change) bool {
	var gone []fileState
	for _, path := range slices.Sorted(maps.Keys(w.left)) {
		if f := w.left[path]; isBlob(f.mode) && w.touched[path] && e.s.isGone(path) && len(gone) < renamedMax {
			gone = append(gone, f)
		}
	}
	for _, f := range gone {
		if f.oid != c.New && !e.related(f.oid, c.New) {
			continue
		}
		if spells, _ := e.own(w, f.path); len(spells) > 0 && spells[0].from.mode == 0 {
			return true
		}
	}
	return false
}
