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

// isGone reports whether nothing is in the worktree at path.
func (s *ManualCommitStrategy) isGone(path string) bool {
	_, err := os.Lstat(filepath.Join(s.repo.Top, filepath.FromSlash(path)))
	return errors.Is(err, fs.ErrNotExist)
}

// renamed reports whether the new file c is one that the session created under another name and
// that is no longer in the worktree. After renamedPairs comparisons only identical content counts.
func (e *evidence) renamed(w work, c git.Change) bool {
	for _, f := range e.madeAndGone(w) {
		if f.oid != c.New {
			if e.pairs++; e.pairs > renamedPairs || !e.alike(c.Path, f.oid, c.New) {
				continue
			}
		}
		if changes, _ := e.own(w, f.path); len(changes) > 0 && changes[0].from.mode == 0 {
			return true
		}
	}
	return false
}

// madeAndGone returns the first renamedMax files of a session's last step that it touched and that
// are no longer in the worktree.
func (e *evidence) madeAndGone(w work) []fileState {
	if gone, known := e.gone[w.session]; known {
		return gone
	}
	var gone []fileState
	for _, path := range slices.Sorted(maps.Keys(w.left)) {
		if f := w.left[path]; isBlob(f.mode) && w.touched[path] && e.s.isGone(path) {
			if gone = append(gone, f); len(gone) == renamedMax {
				break
			}
		}
	}
	e.gone[w.session] = gone
	return gone
}
