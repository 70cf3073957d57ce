package strategy

import (
	"context"
	"fmt"
	"strings"

	"entire/internal/git"
)

// asItWas reports whether a rewind to a turn that a commit took restores the whole tree of that
// time. It does so where HEAD descends from the turn's commit: later commits are undone in the
// worktree, and HEAD stays. On another line of history it does so only if the user asked for it.
func (s *ManualCommitStrategy) asItWas(ctx context.Context, plan *RewindPlan, base git.OID) (bool, error) {
	if plan.now.head.IsZero() {
		return !plan.auto, nil
	}
	out, err := s.repo.Run(ctx, "rev-list", "--left-right", "--count", base.String()+"..."+plan.now.head.String(), "--")
	if err != nil {
		s.Log.Warn("not known whether HEAD comes from the point's commit", "err", err) // the commit may have been pruned
		return !plan.auto, nil
	}
	onlyBase, since, _ := strings.Cut(strings.TrimSpace(string(out)), "\t")
	switch {
	case onlyBase == "0":
		plan.Warnings = append(plan.Warnings, fmt.Sprintf("the point was made on %s, %s ago: the files become what they were then, HEAD stays",
			base.Short(), commitsText(since)))
	case plan.auto:
		return false, nil
	default:
		plan.Warnings = append(plan.Warnings, fmt.Sprintf("the point was made on %s, from which HEAD does not come: the files become what they were there", base.Short()))
	}
	return true, nil
}

func commitsText(n string) string {
	if n == "1" {
		return "1 commit"
	}
	return n + " commits"
}
