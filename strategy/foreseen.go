package strategy

import (
	"context"
	"path"

	"entire/internal/git"
)

// presentAfter is the worktree after a rewind. What went through at once, as it was
// foreseen, need not be asked of git again.
func (s *ManualCommitStrategy) presentAfter(ctx context.Context, j *journal, out *RewindOutcome) (*snapshot, error) {
	if j.seen == nil || len(out.Kept)+len(out.Warnings) > 0 || !j.foreseeable() {
		return s.now(ctx)
	}
	if head, _ := s.repo.Head(); head != j.seen.head {
		return s.now(ctx)
	}
	return s.foreseen(ctx, j)
}

// foreseeable reports a rewind that writes ordinary files only, of which none tells
// git what to look at or lies where something could not be captured.
func (j *journal) foreseeable() bool {
	if len(j.seen.included) > 0 {
		return false
	}
	changed, creates := map[string]bool{}, false
	for _, c := range j.Changes {
		changed[c.path()] = true
		creates = creates || c.OldMode == 0
	}
	for _, u := range j.seen.uncaptured {
		if changed[u.Path] || creates && u.Gap != GapMode {
			return false
		}
	}
	for _, c := range j.Changes {
		switch path.Base(c.path()) {
		case ".gitignore", ".gitattributes", ".gitmodules":
			return false
		}
		if !isRegular(c.NewMode) || c.OldMode != 0 && !isRegular(c.OldMode) {
			return false
		}
	}
	return true
}

// foreseen is what was there before with the rewind's changes.
func (s *ManualCommitStrategy) foreseen(ctx context.Context, j *journal) (*snapshot, error) {
	was := j.seen
	head, err := s.headTree(ctx, was.head)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, c := range j.Changes {
		files = append(files, c.path())
	}
	at, err := s.statesAt(ctx, []git.OID{head}, files, map[git.OID][]git.TreeEntry{})
	if err != nil {
		return nil, err
	}
	snap := &snapshot{head: was.head, branch: was.branch, stats: map[string]cachedStat{}, staged: was.staged, skipped: was.skipped, uncaptured: was.uncaptured, linked: map[string]bool{".": false}}
	changed := setOf(files)
	for _, f := range was.files {
		if !changed[f.path] {
			snap.files = append(snap.files, f)
		}
	}
	for p, st := range was.stats {
		if !changed[p] {
			snap.stats[p] = st
		}
	}
	for i, c := range j.Changes {
		if f := (fileState{c.path(), c.NewMode, c.New}); f != at[0][i] {
			snap.files = append(snap.files, f)
		}
	}
	sortStates(snap.files)
	return snap, nil
}
