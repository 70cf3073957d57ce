package evidence

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"entire/internal/attribution"
	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// missingFromWorktree reports whether nothing is in the worktree at path.
func missingFromWorktree(s *sessionstate.Env, path string) bool {
	_, err := os.Lstat(filepath.Join(s.Repo.Top, filepath.FromSlash(path)))
	return errors.Is(err, fs.ErrNotExist)
}

// changedSinceStep reports whether the worktree's file at path is gone, or not certainly as the last step found it.
func changedSinceStep(ctx context.Context, s *sessionstate.Env, path string) bool {
	fi, err := os.Lstat(filepath.Join(s.Repo.Top, filepath.FromSlash(path)))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return worktree.LoadCache(ctx, s).Stats[path].Key != worktree.KeyOf(fi)
}

// IsMoved reports whether the file c has what the session wrote in another file, which has lost it since: c has that
// file's content, c is that file under a new name with a change of the session's, or c gained lines of the session's.
// After RenamePairsMax comparisons only identical content counts.
func (e *evidence) IsMoved(w transcript.SessionWork, c git.Change) bool {
	for _, f := range e.lostFiles(w) {
		if f.Path == c.Path {
			continue
		}
		if e.pairs++; f.OID != c.New && e.pairs > RenamePairsMax {
			continue
		}
		changes, _ := e.Own(w, f.Path)
		if len(changes) == 0 {
			continue
		}
		if e.isWhole(f, c) || c.OldMode == 0 && !w.Touched[c.Path] && e.isRenamed(f, c, changes) || e.tookLines(c, changes) {
			return true
		}
	}
	return false
}

// isWhole reports whether c has the content that a session left in the file f. A file without words proves nothing.
func (e *evidence) isWhole(f sessionstate.PathVersion, c git.Change) bool {
	if f.OID != c.New {
		return false
	}
	n := e.linesOf(c.New)
	return n == nil || slices.ContainsFunc(slices.Collect(maps.Keys(n.lines)), hasWords)
}

// isRenamed reports whether the new file c is the file f, which is no longer in the worktree, and holds something of the
// changes.
func (e *evidence) isRenamed(f sessionstate.PathVersion, c git.Change, changes []githead.FileChange) bool {
	if !missingFromWorktree(e.s, f.Path) || f.OID != c.New && !e.similarAt(c.Path, f.OID, c.New) {
		return false
	}
	was := changes[0].From
	return was.Mode == 0 || slices.ContainsFunc(changes, func(s githead.FileChange) bool {
		return s.IsIn(git.Change{Path: c.Path, OldMode: was.Mode, Old: was.OID, NewMode: c.NewMode, New: c.New}, e)
	})
}

// tookLines reports whether the file c gained lines that the changes brought into another file, and that the other file
// has no more: one that is distinctive by itself, or several with enough letters together.
func (e *evidence) tookLines(c git.Change, changes []githead.FileChange) bool {
	was, now, here := e.linesOf(c.Old), e.linesOf(c.New), countLines(nil)
	if path := changes[0].To.Path; !missingFromWorktree(e.s, path) {
		_, here, _ = e.worktreeFile(path)
	}
	if was == nil || now == nil || here == nil {
		return false
	}
	taken, letters := 0, 0
	for bare := range e.brought(changes) {
		if now.lines[bare] <= was.lines[bare] || here.lines[bare] != 0 {
			continue
		}
		line := now.significant()[bare]
		if !attribution.Distinctive([]byte(line)) || e.CommonLines(c.Path)(line) {
			continue
		}
		taken, letters = taken+1, letters+attribution.Letters([]byte(line))
		if isDistinctive(line) || taken > 1 && letters >= attribution.BlockLetters {
			return true
		}
	}
	return false
}

// brought returns the lines that one of the changes added, as bare text.
func (e *evidence) brought(changes []githead.FileChange) map[string]bool {
	out := map[string]bool{}
	for _, s := range changes {
		from, to := e.linesOf(s.From.OID), e.linesOf(s.To.OID)
		if from == nil || to == nil {
			continue
		}
		for bare, n := range to.lines {
			if n > from.lines[bare] {
				out[bare] = true
			}
		}
	}
	return out
}

// lostFiles returns the first RenameCandidatesMax files of a session's last step that it touched and that
// are no longer in the worktree, or were changed there.
func (e *evidence) lostFiles(w transcript.SessionWork) []sessionstate.PathVersion {
	if lost, known := e.lost[w.Session]; known {
		return lost
	}
	var lost []sessionstate.PathVersion
	for _, path := range slices.Sorted(maps.Keys(w.AtLastStep)) {
		if f := w.AtLastStep[path]; step.IsBlob(f.Mode) && w.Touched[path] && changedSinceStep(e.ctx, e.s, path) {
			if now, _, ok := e.worktreeFile(path); ok && now.OID == f.OID { // it changed just before the step
				continue
			}
			if lost = append(lost, f); len(lost) == RenameCandidatesMax {
				break
			}
		}
	}
	e.lost[w.Session] = lost
	return lost
}
