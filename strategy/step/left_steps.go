package step

import (
	"context"
	"slices"
	"strings"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// LeftBranches returns the newest steps of the shadow branches that HEAD has left: a pull, a reset, a switch or
// a rebase moved it, and no event of their sessions has renamed them since. Only branches that a session of
// this worktree recorded are returned, the newest first.
func LeftBranches(ctx context.Context, s *sessionstate.Env) ([]git.Commit, error) {
	refs, err := s.Repo.Refs(ctx, "refs/heads/"+shadow.BranchPrefix)
	if err != nil {
		return nil, err
	}
	head, _ := s.Repo.Head(ctx)
	left := map[string]git.OID{}
	for _, ref := range refs {
		if strings.HasSuffix(ref.Name, "-"+shadow.HashWorktreeID(s.Repo.WorktreeID)) && ref.Name != worktree.ShadowRef(s, head) {
			left[ref.Name] = ref.OID
		}
	}
	if len(left) == 0 {
		return nil, nil
	}
	sums, err := WorktreeSessions(ctx, s)
	if err != nil {
		return nil, err
	}
	var tips []git.Commit
	for _, sum := range sums {
		base, err := git.ParseOID(sum.BaseCommit)
		if err != nil {
			continue // an unborn branch, or a state that names no commit
		}
		name := worktree.ShadowRef(s, base)
		oid, ok := left[name]
		if !ok {
			continue
		}
		delete(left, name)
		if tip, ok, err := s.Repo.Reader(ctx).CommitOf(oid.String()); err != nil {
			return nil, err
		} else if ok {
			tips = append(tips, tip)
		}
	}
	slices.SortStableFunc(tips, func(a, b git.Commit) int { return b.Author.When.Compare(a.Author.When) })
	return tips, nil
}

// leftPoints returns the points on the branches that HEAD has left, newest first.
func leftPoints(ctx context.Context, s *sessionstate.Env, limit int) ([]RewindPoint, error) {
	tips, err := LeftBranches(ctx, s)
	if err != nil {
		return nil, err
	}
	var steps []Step
	for _, tip := range tips {
		for st, err := range StepsBelow(ctx, s, tip) {
			if err != nil {
				return nil, err
			}
			if len(steps) >= limit {
				break
			}
			if st.TakenBy.IsZero() && IsListed(st.Step) {
				steps = append(steps, st.Step)
			}
		}
	}
	points, err := StepPoints(ctx, s, steps)
	slices.SortStableFunc(points, func(a, b RewindPoint) int { return b.Date.Compare(a.Date) })
	return points, err
}
