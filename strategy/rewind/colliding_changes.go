package rewind

import (
	"context"
	"fmt"
	"slices"

	"entire/internal/git"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
)

// withoutCollisions removes the edits of a plan that would put a file in place of a folder that
// holds others' files, or a folder in place of another's file. Each becomes a conflict of the
// plan.
func withoutCollisions(ctx context.Context, s *sessionstate.Env, plan *Plan, edits []git.Edit, saved git.OID) ([]git.Edit, error) {
	going := map[string]bool{}
	for _, e := range edits {
		if e.Mode == 0 {
			going[e.Path] = true
		}
	}
	var failed error
	edits = slices.DeleteFunc(edits, func(e git.Edit) bool {
		if e.Mode == 0 || failed != nil {
			return false
		}
		there, collides, err := restore.Collides(ctx, s, plan.before, e.Path, going)
		failed = err
		if collides {
			c := restore.PlanConflict{Path: e.Path, Ours: there, Theirs: restore.PlanSide{Mode: e.Mode, OID: e.OID}}
			if !saved.IsZero() {
				c.Saved = saved.String()
			}
			plan.resolveConflict(c, sessionstate.FileVersion{}, sessionstate.FileVersion{})
		}
		return collides
	})
	return edits, failed
}

// checkFits returns ErrBaseMoved if a file of a step made on another commit would replace a folder
// of HEAD's, or lie below a file of HEAD's.
func checkFits(ctx context.Context, s *sessionstate.Env, plan *Plan, head git.OID, edits []git.Edit) error {
	going := map[string]bool{}
	for _, e := range edits {
		going[e.Path] = e.Mode == 0
	}
	for _, e := range edits {
		if e.Mode == 0 {
			continue
		}
		_, collides, err := restore.Collides(ctx, s, head, e.Path, going)
		if err != nil {
			return err
		}
		if collides {
			return fmt.Errorf("%w: HEAD (%s) has a file or folder in the way of %s", restore.ErrBaseMoved, plan.Present.Head.Short(), e.Path)
		}
	}
	return nil
}
