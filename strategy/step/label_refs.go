package step

import (
	"context"
	"slices"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// labelRefs returns the folder of refs that keep this worktree's labels, each named by its step. A
// shadow branch is deleted when its work is committed, but a labelled point must stay.
func labelRefs(s *sessionstate.Env) string {
	return "refs/entire/labels/" + shadow.HashWorktreeID(s.Repo.WorktreeID) + "/"
}

func KeepLabel(ctx context.Context, s *sessionstate.Env, label git.OID) error {
	return s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: labelRefs(s) + label.String(), New: label}})
}

// olderLabels returns the labels of this worktree that are not among points, newest first: they
// were made on other commits than HEAD.
func olderLabels(ctx context.Context, s *sessionstate.Env, points []RewindPoint) ([]RewindPoint, error) {
	if !MayHaveRefs(s, labelRefs(s)) {
		return nil, nil
	}
	refs, err := s.Repo.Refs(ctx, labelRefs(s))
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	listed := map[string]bool{}
	for _, p := range points {
		listed[p.ID] = true
	}
	var steps []Step
	for _, ref := range refs {
		if listed[ref.OID.String()] {
			continue
		}
		c, ok, err := s.Repo.Reader(ctx).CommitOf(ref.OID.String())
		if err != nil {
			return nil, err
		}
		if info := shadow.ParseStep(c.Message); ok && info.Kind == shadow.StepLabel {
			steps = append(steps, Step{c, info})
		}
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return b.Author.When.Compare(a.Author.When) })
	return StepPoints(ctx, s, steps)
}
