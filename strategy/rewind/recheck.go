package rewind

import (
	"context"
	"maps"
	"slices"

	"entire/internal/git"
	"entire/strategy/evidence"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// RecheckStatus checks files that should differ from HEAD after a rewind but that git's status does not
// list: those that differed before, and those that the rewind changed. On a disk error git often
// goes on silently, and a step that lacks an existing file could not be undone completely.
func RecheckStatus(ctx context.Context, s *sessionstate.Env, snap *worktree.Snapshot, j *restore.RewindJournal) error {
	expected, err := expectedChanges(ctx, s, snap, j)
	if err != nil {
		return err
	}
	for _, f := range snap.Files {
		delete(expected, f.Path)
	}
	for _, k := range snap.Skipped {
		delete(expected, k.Path)
	}
	if len(expected) == 0 {
		return nil
	}
	ignored, err := s.Repo.Ignored(ctx, slices.Sorted(maps.Keys(expected)))
	if err != nil {
		return err
	}
	var entries []git.StatusEntry
	for p, head := range expected {
		if !ignored[p] {
			entries = append(entries, git.StatusEntry{Path: p, HeadMode: head.Mode, HeadOID: head.OID, IndexMode: head.Mode, IndexOID: head.OID, Untracked: head.Mode == 0})
		}
	}
	seen, err := worktree.TakeSnapshot(ctx, s, &git.Status{Head: snap.Head, Entries: entries})
	if err != nil {
		return err
	}
	snap.Files = worktree.SortVersions(append(snap.Files, seen.Files...))
	maps.Copy(snap.Stats, seen.Stats)
	snap.Skipped = append(snap.Skipped, seen.Skipped...)
	snap.Uncaptured = append(snap.Uncaptured, seen.Uncaptured...)
	return nil
}

// expectedChanges returns the paths that should differ from HEAD after a rewind, each with HEAD's
// version.
func expectedChanges(ctx context.Context, s *sessionstate.Env, snap *worktree.Snapshot, j *restore.RewindJournal) (map[string]sessionstate.PathVersion, error) {
	head, err := worktree.HeadTree(ctx, s, snap.Head)
	if err != nil {
		return nil, err
	}
	safety, err := s.Repo.Reader(ctx).Commit(j.Safety)
	if err != nil {
		return nil, err
	}
	before, err := evidence.TreeFiles(ctx, s, head, safety.Tree)
	if err != nil {
		return nil, err
	}
	after := map[string]sessionstate.PathVersion{}
	for _, f := range before {
		after[f.Path] = f
	}
	for _, c := range j.Changes {
		after[c.Text()] = sessionstate.PathVersion{Path: c.Text(), Mode: c.NewMode, OID: c.New}
	}
	paths := slices.Sorted(maps.Keys(after))
	at, err := step.VersionsAt(ctx, s, []git.OID{head}, paths, map[git.OID][]git.TreeEntry{})
	if err != nil {
		return nil, err
	}
	had := map[string]sessionstate.PathVersion{}
	for i, p := range paths {
		was, will := at[0][i], after[p]
		if was.Mode == git.ModeGitlink || will.Mode == git.ModeGitlink {
			continue
		}
		if !step.IsBlob(was.Mode) { // a folder is represented by its files
			was = sessionstate.PathVersion{Path: p}
		}
		if will != was {
			had[p] = was
		}
	}
	return had, nil
}
