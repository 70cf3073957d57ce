package strategy

import (
	"context"
	"maps"
	"slices"

	"entire/internal/git"
)

// lookAgain checks files that should differ from HEAD after a rewind but that git's status does not
// list: those that differed before, and those that the rewind changed. On a disk error git often
// goes on silently, and a step that lacks an existing file could not be undone completely.
func (s *ManualCommitStrategy) lookAgain(ctx context.Context, snap *snapshot, j *journal) error {
	expected, err := s.expectedAfter(ctx, snap, j)
	if err != nil {
		return err
	}
	for _, f := range snap.files {
		delete(expected, f.path)
	}
	for _, k := range snap.skipped {
		delete(expected, k.Path)
	}
	if len(expected) == 0 {
		return nil
	}
	ignored, err := s.repo.Ignored(ctx, slices.Sorted(maps.Keys(expected)))
	if err != nil {
		return err
	}
	var entries []git.StatusEntry
	for p, head := range expected {
		if !ignored[p] {
			entries = append(entries, git.StatusEntry{Path: p, HeadMode: head.mode, HeadOID: head.oid, IndexMode: head.mode, IndexOID: head.oid, Untracked: head.mode == 0})
		}
	}
	seen, err := s.takeSnapshot(ctx, &git.Status{Head: snap.head, Entries: entries})
	if err != nil {
		return err
	}
	snap.files = sortStates(append(snap.files, seen.files...))
	maps.Copy(snap.stats, seen.stats)
	snap.skipped = append(snap.skipped, seen.skipped...)
	snap.uncaptured = append(snap.uncaptured, seen.uncaptured...)
	return nil
}

// expectedAfter returns the paths that should differ from HEAD after a rewind, each with HEAD's
// version.
func (s *ManualCommitStrategy) expectedAfter(ctx context.Context, snap *snapshot, j *journal) (map[string]fileState, error) {
	head, err := s.headTree(ctx, snap.head)
	if err != nil {
		return nil, err
	}
	safety, err := s.repo.Reader(ctx).Commit(j.Safety)
	if err != nil {
		return nil, err
	}
	before, err := s.treeFiles(ctx, head, safety.Tree)
	if err != nil {
		return nil, err
	}
	after := map[string]fileState{}
	for _, f := range before {
		after[f.path] = f
	}
	for _, c := range j.Changes {
		after[c.path()] = fileState{c.path(), c.NewMode, c.New}
	}
	paths := slices.Sorted(maps.Keys(after))
	at, err := s.statesAt(ctx, []git.OID{head}, paths, map[git.OID][]git.TreeEntry{})
	if err != nil {
		return nil, err
	}
	had := map[string]fileState{}
	for i, p := range paths {
		was, will := at[0][i], after[p]
		if was.mode == git.ModeGitlink || will.mode == git.ModeGitlink {
			continue
		}
		if !isBlob(was.mode) { // a folder is represented by its files
			was = fileState{path: p}
		}
		if will != was {
			had[p] = was
		}
	}
	return had, nil
}
