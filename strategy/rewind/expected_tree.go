package rewind

import (
	"context"
	"path"
	"slices"

	"entire/internal/git"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// snapshotAfter returns a snapshot of the worktree after a rewind. If the rewind succeeded as
// expected, the snapshot is computed and git is not asked again.
func snapshotAfter(ctx context.Context, s *sessionstate.Env, j *restore.RewindJournal, out *restore.RewindOutcome) (*worktree.Snapshot, error) {
	if j.Present != nil && len(out.Kept)+len(out.Warnings) == 0 && isPredictable(j) {
		if head, _ := s.Repo.Head(ctx); head == j.Present.Head {
			return expectedSnapshot(ctx, s, j)
		}
	}
	snap, err := SnapshotNow(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := RecheckStatus(ctx, s, snap, j); err != nil {
		return nil, err
	}
	return snap, AddUnreadableWritten(ctx, s, snap, j, out)
}

// AddUnreadableWritten adds files to the snapshot that the rewind wrote and verified and that can no longer
// be read. A step without them could not be undone completely.
func AddUnreadableWritten(ctx context.Context, s *sessionstate.Env, snap *worktree.Snapshot, j *restore.RewindJournal, out *restore.RewindOutcome) error {
	unread := map[string]bool{}
	for _, u := range snap.Uncaptured {
		unread[u.Path] = u.Gap == worktree.GapUnreadable
	}
	written := worktree.SetOf(out.Written)
	var lost sessionstate.PathVersions
	var names []string
	for _, c := range j.Changes {
		if unread[c.Text()] && written[c.Text()] {
			lost, names = append(lost, sessionstate.PathVersion{Path: c.Text(), Mode: c.NewMode, OID: c.New}), append(names, c.Text())
		}
	}
	if len(lost) == 0 {
		return nil
	}
	head, err := worktree.HeadTree(ctx, s, snap.Head)
	if err != nil {
		return err
	}
	at, err := step.VersionsAt(ctx, s, []git.OID{head}, names, map[git.OID][]git.TreeEntry{})
	if err != nil {
		return err
	}
	for i, f := range lost {
		if at[0][i] != f {
			snap.Files = append(snap.Files, f)
		}
	}
	worktree.SortVersions(snap.Files)
	snap.Skipped = slices.DeleteFunc(snap.Skipped, func(k sessionstate.KeptFile) bool { return slices.Contains(names, k.Path) })
	snap.Uncaptured = slices.DeleteFunc(snap.Uncaptured, func(u worktree.Uncaptured) bool { return slices.Contains(names, u.Path) })
	return nil
}

// isPredictable reports whether a rewind writes only ordinary files. None of them changes what git
// looks at, and none is where a step could not capture something.
func isPredictable(j *restore.RewindJournal) bool {
	if len(j.Present.Included) > 0 {
		return false
	}
	changed, creates := map[string]bool{}, false
	for _, c := range j.Changes {
		changed[c.Text()] = true
		creates = creates || c.OldMode == 0
	}
	for _, u := range j.Present.Uncaptured {
		if changed[u.Path] || creates && u.Gap != worktree.GapMode {
			return false
		}
	}
	for _, c := range j.Changes {
		switch path.Base(c.Text()) {
		case ".gitignore", ".gitattributes", ".gitmodules":
			return false
		}
		if !worktree.IsRegular(c.NewMode) || c.OldMode != 0 && !worktree.IsRegular(c.OldMode) {
			return false
		}
	}
	return true
}

// expectedSnapshot returns the snapshot from before the rewind with the rewind's changes applied.
func expectedSnapshot(ctx context.Context, s *sessionstate.Env, j *restore.RewindJournal) (*worktree.Snapshot, error) {
	was := j.Present
	head, err := worktree.HeadTree(ctx, s, was.Head)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, c := range j.Changes {
		files = append(files, c.Text())
	}
	at, err := step.VersionsAt(ctx, s, []git.OID{head}, files, map[git.OID][]git.TreeEntry{})
	if err != nil {
		return nil, err
	}
	snap := &worktree.Snapshot{Head: was.Head, Branch: was.Branch, Stats: map[string]sessionstate.CachedStat{}, Staged: was.Staged, Skipped: was.Skipped, Uncaptured: was.Uncaptured, Symlinked: map[string]bool{".": false},
		Exact: map[string]git.OID{}}
	changed := worktree.SetOf(files)
	for _, f := range was.Files {
		if !changed[f.Path] {
			snap.Files = append(snap.Files, f)
		}
	}
	for p, st := range was.Stats {
		if !changed[p] {
			snap.Stats[p] = st
		}
	}
	for p, oid := range was.Exact {
		if !changed[p] {
			snap.Exact[p] = oid
		}
	}
	for i, c := range j.Changes {
		if !c.ExactOID.IsZero() {
			snap.Exact[c.Text()] = c.ExactOID
		}
		if f := (sessionstate.PathVersion{Path: c.Text(), Mode: c.NewMode, OID: c.New}); f != at[0][i] {
			snap.Files = append(snap.Files, f)
		}
	}
	worktree.SortVersions(snap.Files)
	return snap, nil
}
