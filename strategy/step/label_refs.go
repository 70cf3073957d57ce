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

// KeepLabel keeps the point of a label, whatever becomes of its shadow branch.
func KeepLabel(ctx context.Context, s *sessionstate.Env, label git.OID) error {
	return s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: labelRefs(s) + label.String(), New: label}})
}

// olderLabels returns the points of labels that are not among points, newest first.
func olderLabels(ctx context.Context, s *sessionstate.Env, points []RewindPoint) ([]RewindPoint, error) {
	listed := map[string]bool{}
	for _, p := range points {
		listed[p.ID] = true
	}
	steps, err := LabelSteps(ctx, s)
	if err != nil {
		return nil, err
	}
	return StepPoints(ctx, s, slices.DeleteFunc(steps, func(st Step) bool { return listed[st.OID.String()] }))
}

// LabelSteps returns the steps of this worktree that people gave labels, newest first.
func LabelSteps(ctx context.Context, s *sessionstate.Env) ([]Step, error) {
	if !MayHaveRefs(s, labelRefs(s)) {
		return nil, nil
	}
	refs, err := s.Repo.Refs(ctx, labelRefs(s))
	if err != nil {
		return nil, err
	}
	var steps []Step
	for _, ref := range refs {
		c, ok, err := s.Repo.Reader(ctx).CommitOf(ref.OID.String())
		if err != nil {
			return nil, err
		}
		if info := shadow.ParseStep(c.Message); ok && info.Kind == shadow.StepLabel {
			steps = append(steps, Step{c, info})
		}
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return b.Author.When.Compare(a.Author.When) })
	return steps, nil
}
