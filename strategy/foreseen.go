package strategy

import (
	"context"
	"path"
	"slices"

	"entire/internal/git"
)

// presentAfter returns a snapshot of the worktree after a rewind. If the rewind succeeded as
// expected, the snapshot is computed and git is not asked again.
func (s *ManualCommitStrategy) presentAfter(ctx context.Context, j *journal, out *RewindOutcome) (*snapshot, error) {
	if j.seen != nil && len(out.Kept)+len(out.Warnings) == 0 && j.foreseeable() {
		if head, _ := s.repo.Head(); head == j.seen.head {
			return s.foreseen(ctx, j)
		}
	}
	snap, err := s.now(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.lookAgain(ctx, snap, j); err != nil {
		return nil, err
	}
	return snap, s.asWritten(ctx, snap, j, out)
}

// asWritten adds files to the snapshot that the rewind wrote and verified and that can no longer
// be read. A step without them could not be undone completely.
func (s *ManualCommitStrategy) asWritten(ctx context.Context, snap *snapshot, j *journal, out *RewindOutcome) error {
	unread := map[string]bool{}
	for _, u := range snap.uncaptured {
		unread[u.Path] = u.Gap == GapUnreadable
	}
	written := setOf(out.Written)
	var lost fileStates
	var names []string
	for _, c := range j.Changes {
		if unread[c.path()] && written[c.path()] {
			lost, names = append(lost, fileState{c.path(), c.NewMode, c.New}), append(names, c.path())
		}
	}
	if len(lost) == 0 {
		return nil
	}
	head, err := s.headTree(ctx, snap.head)
	if err != nil {
		return err
	}
	at, err := s.statesAt(ctx, []git.OID{head}, names, map[git.OID][]git.TreeEntry{})
	if err != nil {
		return err
	}
	for i, f := range lost {
		if at[0][i] != f {
			snap.files = append(snap.files, f)
		}
	}
	sortStates(snap.files)
	snap.skipped = slices.DeleteFunc(snap.skipped, func(k KeptFile) bool { return slices.Contains(names, k.Path) })
	snap.uncaptured = slices.DeleteFunc(snap.uncaptured, func(u Uncaptured) bool { return slices.Contains(names, u.Path) })
	return nil
}

// foreseeable reports a rewind that writes only ordinary files, none of which changes what git
// looks at, and none of which is where something could not be captured.
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

// foreseen returns the snapshot from before the rewind with the rewind's changes applied.
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
