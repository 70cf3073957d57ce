package rewind

import (
	"context"
	"fmt"
	"path/filepath"

	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// gapsAtPoint returns what a plan's point did not hold.
func gapsAtPoint(ctx context.Context, s *sessionstate.Env, plan *Plan) (*worktree.Gaps, error) {
	list, more, err := worktree.GapsIn(ctx, s, plan.step.Tree)
	if err != nil {
		return nil, fmt.Errorf("read what %s did not capture: %w", plan.step.OID.Short(), err)
	}
	return worktree.NewGaps(list, more), nil
}

// fillUncaptured lists in the plan what it cannot restore, and what of the present cannot be
// saved.
func fillUncaptured(s *sessionstate.Env, plan *Plan, point *worktree.Gaps) {
	seen := map[worktree.Uncaptured]bool{}
	for _, u := range plan.Present.Uncaptured {
		seen[u] = true
		plan.Uncaptured = append(plan.Uncaptured, u)
	}
	for _, u := range point.ByPath {
		if !seen[u] {
			u.Why += ", at that point"
			plan.Uncaptured = append(plan.Uncaptured, u)
		}
	}
	for p := range point.Empty {
		if !sessionstate.PathExists(filepath.Join(s.Repo.Top, filepath.FromSlash(p))) {
			plan.Uncaptured = append(plan.Uncaptured, worktree.Uncaptured{Path: p, Gap: worktree.GapEmpty, Why: "it was an empty folder at that point, and stays away"})
		}
	}
	for _, p := range worktree.Submodules(s) {
		u := worktree.Uncaptured{Path: p, Gap: worktree.GapSubmodule, Why: "submodule"}
		if !seen[u] {
			plan.Uncaptured = append(plan.Uncaptured, u)
		}
	}
	worktree.SortGaps(plan.Uncaptured)
}

// allowIncluded removes from the protected ignored files those that the settings capture, at the
// point and now: the point shows that they did not exist then.
func allowIncluded(s *sessionstate.Env, plan *Plan, ignored map[string]bool) {
	if now := worktree.IncludedDigest(s); now == "" || plan.step.Info.Includes != now {
		return
	}
	for p := range plan.Present.Included {
		delete(ignored, p)
	}
}
