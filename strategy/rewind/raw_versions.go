package rewind

import (
	"context"

	"entire/internal/git"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// findRaw sets in the journal the exact bytes that files had in the step gone back to. If the step
// recorded every file whose bytes were not the blob's, the other files had the blob's bytes.
func findRaw(ctx context.Context, s *sessionstate.Env, j *restore.RewindJournal, plan *Plan) error {
	rd := s.Repo.Reader(ctx)
	if _, any, err := rd.Path(plan.step.Tree, worktree.RawDir); err != nil || !any && !plan.exact {
		return err
	}
	for i := range j.Changes {
		c := &j.Changes[i]
		if !worktree.IsRegular(c.NewMode) {
			continue
		}
		raw, noted, err := rd.Path(plan.step.Tree, worktree.RawPath(c.Text(), c.New))
		if err != nil {
			return err
		}
		switch {
		case noted && raw.Mode == git.ModeFile:
			c.ExactOID = raw.OID
		case !noted && plan.exact:
			if e, ok, err := rd.Path(plan.step.Tree, c.Text()); err != nil {
				return err
			} else if ok && e.OID == c.New {
				c.ExactOID = c.New
			}
		}
	}
	return nil
}
