package strategy

import (
	"context"
	"slices"

	"entire/checkpoint"
	"entire/internal/git"
)

// labelRefs returns the folder of refs that keep this worktree's labels, each named by its step. A
// shadow branch is deleted when its work is committed, but a labelled point must stay.
func (s *ManualCommitStrategy) labelRefs() string {
	return "refs/entire/labels/" + checkpoint.HashWorktreeID(s.repo.WorktreeID) + "/"
}

func (s *ManualCommitStrategy) keepLabel(ctx context.Context, label git.OID) error {
	return s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: s.labelRefs() + label.String(), New: label}})
}

// olderLabels returns the labels of this worktree that are not among points, newest first: they
// were made on other commits than HEAD.
func (s *ManualCommitStrategy) olderLabels(ctx context.Context, points []RewindPoint) ([]RewindPoint, error) {
	if !s.anyRefs(s.labelRefs()) {
		return nil, nil
	}
	refs, err := s.repo.Refs(ctx, s.labelRefs())
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	listed := map[string]bool{}
	for _, p := range points {
		listed[p.ID] = true
	}
	var steps []step
	for _, ref := range refs {
		if listed[ref.OID.String()] {
			continue
		}
		c, ok, err := s.repo.Reader(ctx).CommitOf(ref.OID.String())
		if err != nil {
			return nil, err
		}
		if info := checkpoint.ParseStep(c.Message); ok && info.Kind == checkpoint.StepLabel {
			steps = append(steps, step{c, info})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return b.Author.When.Compare(a.Author.When) })
	return s.stepPoints(ctx, steps)
}
