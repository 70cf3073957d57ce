package rewind

import (
	"context"

	"entire/internal/git"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
)

// protect sorts the differences into changes that the rewind makes and paths that it keeps.
func protect(ctx context.Context, s *sessionstate.Env, plan *Plan, changes []git.Change) error {
	var removals []string
	for _, c := range changes {
		if c.NewMode == 0 {
			removals = append(removals, c.Path)
		}
	}
	ignored, err := s.Repo.IgnoredIn(ctx, plan.after, removals)
	if err != nil {
		return err
	}
	allowIncluded(s, plan, ignored)
	point, err := gapsAtPoint(ctx, s, plan)
	if err != nil {
		return err
	}
	plan.pointGaps = point
	fillUncaptured(s, plan, point)
	skipped := map[string]string{}
	for _, k := range plan.Present.Skipped {
		skipped[k.Path] = k.Why
	}
	fold := restore.FoldConflicts(ctx, s, changes)
	wt, err := s.Repo.OpenWorktree()
	if err != nil {
		return err
	}
	defer wt.Close()
	for _, c := range changes {
		why := fold[c.Path]
		if why == "" {
			if why, err = restore.KeepReason(s, wt, c, skipped, ignored); err != nil {
				return err
			}
		}
		if why == "" {
			why = point.WhyUncertain(c)
		}
		if why != "" {
			plan.Kept = append(plan.Kept, sessionstate.KeptFile{Path: c.Path, Why: why})
			continue
		}
		plan.Changes = append(plan.Changes, restore.PlannedChange{Path: c.Path, Action: restore.ActionOf(c), Change: c})
	}
	if err := dropBlocked(s, wt, plan); err != nil {
		return err
	}
	return leaveUnsaved(ctx, s, wt, plan)
}
