package rewind

import (
	"entire/internal/git"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
)

// dropBlocked takes changes out of the plan that cannot be made, because something that stays is
// in the way or because the file system cannot hold the name.
func dropBlocked(s *sessionstate.Env, wt *git.Worktree, plan *Plan) error {
	going := map[string]bool{}
	for _, c := range plan.Changes {
		if c.Change.NewMode == 0 {
			going[c.Path] = true
		}
	}
	rest := plan.Changes[:0]
	for _, c := range plan.Changes {
		why, err := restore.WhyBlocked(s, wt, c.Change, going)
		if err != nil {
			return err
		}
		if why != "" {
			plan.Kept = append(plan.Kept, sessionstate.KeptFile{Path: c.Path, Why: why})
		} else {
			rest = append(rest, c)
		}
	}
	plan.Changes = rest
	return nil
}
