package strategy

import (
	"context"
	"fmt"
	"path/filepath"

	"entire/internal/git"
)

// apply removes and places files one by one. A path that is neither as it was
// nor as it shall be was changed by somebody since: it is left and named.
func (s *ManualCommitStrategy) apply(ctx context.Context, j *journal, out *RewindOutcome) error {
	wt, err := s.repo.OpenWorktree()
	if err != nil {
		return err
	}
	defer wt.Close()
	todo, err := s.undone(ctx, j, out)
	if err != nil {
		return err
	}
	for _, c := range todo {
		if c.NewMode == 0 {
			if err := wt.Remove(c.path()); err != nil {
				out.Kept = append(out.Kept, KeptFile{c.path(), err.Error()})
				continue
			}
			out.Removed = append(out.Removed, c.path())
		}
	}
	for _, c := range todo {
		if c.NewMode == 0 {
			continue
		}
		// One file that cannot be replaced must not keep the others, or the next
		// command, from finishing: it is named, and the present was saved.
		if err := wt.Place(c.path(), filepath.Join(s.stage(j), filepath.FromSlash(c.path()))); err != nil {
			out.Kept = append(out.Kept, KeptFile{c.path(), err.Error()})
			continue
		}
		out.Written = append(out.Written, c.path())
	}
	return s.verify(ctx, j, out)
}

// undone are the changes still to be made.
func (s *ManualCommitStrategy) undone(ctx context.Context, j *journal, out *RewindOutcome) ([]planned, error) {
	disk, err := s.onDisk(ctx, j.Changes)
	if err != nil {
		return nil, err
	}
	var todo []planned
	for _, c := range j.Changes {
		f := disk[c.path()]
		switch {
		case s.stands(f, c.NewMode, c.New):
		case s.stands(f, c.OldMode, c.Old):
			todo = append(todo, c)
		default:
			out.Kept = append(out.Kept, KeptFile{c.path(), "changed meanwhile"})
		}
	}
	return todo, nil
}

// onDisk hashes what stands at each path now.
func (s *ManualCommitStrategy) onDisk(ctx context.Context, changes []planned) (map[string]fileState, error) {
	var entries []git.StatusEntry
	for _, c := range changes {
		// A HEAD side that nothing equals, so that every path is reported.
		entries = append(entries, git.StatusEntry{Path: c.path(), HeadMode: git.ModeTree})
	}
	snap, err := s.takeSnapshot(ctx, &git.Status{Entries: entries})
	if err != nil {
		return nil, err
	}
	disk := map[string]fileState{}
	for _, f := range snap.files {
		disk[f.path] = f
	}
	for _, k := range snap.skipped { // there, but nobody can tell what it is
		disk[k.Path] = fileState{path: k.Path, mode: git.ModeTree}
	}
	return disk, nil
}

// stands reports whether f is what a tree says. Where the executable bit of a
// file means nothing, it is not compared.
func (s *ManualCommitStrategy) stands(f fileState, mode uint32, oid git.OID) bool {
	if !s.repo.FileMode && isRegular(f.mode) && isRegular(mode) {
		return f.oid == oid
	}
	return f.sameContent(mode, oid)
}

func isRegular(mode uint32) bool { return mode == git.ModeFile || mode == git.ModeExec }

// verify reads every file back that was written.
func (s *ManualCommitStrategy) verify(ctx context.Context, j *journal, out *RewindOutcome) error {
	kept := map[string]bool{}
	for _, k := range out.Kept {
		kept[k.Path] = true
	}
	disk, err := s.onDisk(ctx, j.Changes)
	if err != nil {
		return err
	}
	for _, c := range j.Changes {
		if f := disk[c.path()]; !kept[c.path()] && !s.stands(f, c.NewMode, c.New) {
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s reads back differently; its filters may not be lossless", c.path()))
		}
	}
	return nil
}
