package strategy

import (
	"context"
	"fmt"

	"entire/internal/git"
)

// unsaved returns the paths whose present content differs from what git reported, so that no
// snapshot holds it: files marked as unchanged, or written without a change of their time.
func (s *ManualCommitStrategy) unsaved(ctx context.Context, wt *git.Worktree, changes []planned) (map[string]bool, error) {
	out := map[string]bool{}
	var unclear []planned
	for _, c := range changes {
		if c.OldMode == 0 {
			continue
		}
		oid, mode, err := wt.RawOID(s.repo, c.path())
		if err == nil && s.stands(fileState{mode: mode, oid: oid}, c.OldMode, c.Old) {
			continue
		}
		unclear = append(unclear, c) // a filter may make the difference
	}
	if len(unclear) == 0 {
		return out, nil
	}
	disk, err := s.onDisk(ctx, unclear)
	if err != nil {
		return nil, err
	}
	for _, c := range unclear {
		if !s.stands(disk[c.path()], c.OldMode, c.Old) {
			out[c.path()] = true
		}
	}
	return out, nil
}

// keepUnsaved removes from the plan the changes that would destroy unsaved content.
func (s *ManualCommitStrategy) keepUnsaved(ctx context.Context, wt *git.Worktree, plan *RewindPlan) error {
	changes := make([]planned, len(plan.Changes))
	for i, c := range plan.Changes {
		changes[i] = plannedOf(c.change)
	}
	unsaved, err := s.unsaved(ctx, wt, changes)
	if err != nil || len(unsaved) == 0 {
		return err
	}
	rest := plan.Changes[:0]
	for _, c := range plan.Changes {
		if unsaved[c.Path] {
			plan.Kept = append(plan.Kept, KeptFile{c.Path, "its present content is in no snapshot; git takes it for unchanged"})
		} else {
			rest = append(rest, c)
		}
	}
	plan.Changes = rest
	return s.keepBlocked(wt, plan) // other changes may need the removal of these paths
}

func plannedOf(c git.Change) planned {
	return planned{Path: pathText(c.Path), OldMode: c.OldMode, NewMode: c.NewMode, Old: c.Old, New: c.New}
}

// allSaved returns an error if the rewind would replace content that no snapshot holds.
func (s *ManualCommitStrategy) allSaved(ctx context.Context, j *journal) error {
	wt, err := s.repo.OpenWorktree()
	if err != nil {
		return err
	}
	defer wt.Close()
	unsaved, err := s.unsaved(ctx, wt, j.Changes)
	if err != nil {
		return err
	}
	for p := range unsaved {
		return fmt.Errorf("%w: %s", ErrWorktreeMoved, p)
	}
	return nil
}
