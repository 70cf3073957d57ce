package evidence

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

// missingFromWorktree reports whether nothing is in the worktree at path.
func missingFromWorktree(s *sessionstate.Env, path string) bool {
	_, err := os.Lstat(filepath.Join(s.Repo.Top, filepath.FromSlash(path)))
	return errors.Is(err, fs.ErrNotExist)
}

// IsRename reports whether the new file c is one that the session created under another name and
// that is no longer in the worktree. After RenamePairsMax comparisons only identical content counts.
func (e *evidence) IsRename(w transcript.SessionWork, c git.Change) bool {
	for _, f := range e.createdAndMissing(w) {
		if f.OID != c.New {
			if e.pairs++; e.pairs > RenamePairsMax || !e.similarAt(c.Path, f.OID, c.New) {
				continue
			}
		}
		if changes, _ := e.Own(w, f.Path); len(changes) > 0 && changes[0].From.Mode == 0 {
			return true
		}
	}
	return false
}

// createdAndMissing returns the first RenameCandidatesMax files of a session's last step that it touched and that
// are no longer in the worktree.
func (e *evidence) createdAndMissing(w transcript.SessionWork) []sessionstate.PathVersion {
	if gone, known := e.gone[w.Session]; known {
		return gone
	}
	var gone []sessionstate.PathVersion
	for _, path := range slices.Sorted(maps.Keys(w.AtLastStep)) {
		if f := w.AtLastStep[path]; step.IsBlob(f.Mode) && w.Touched[path] && missingFromWorktree(e.s, path) {
			if gone = append(gone, f); len(gone) == RenameCandidatesMax {
				break
			}
		}
	}
	e.gone[w.Session] = gone
	return gone
}
