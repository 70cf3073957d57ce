package strategy

import (
	"context"

	"entire/checkpoint"
	"entire/internal/git"
	"entire/session"
)

// claimUnderWay claims what the sessions in the middle of a turn have done up to a step of the
// present. A rewind starts their turns anew, and their work before it would otherwise have an
// unknown author.
func (s *ManualCommitStrategy) claimUnderWay(ctx context.Context, snap *snapshot, tip git.OID) error {
	sums, err := s.here(ctx)
	if err != nil {
		return err
	}
	for _, sum := range sums {
		if sum.Phase != session.PhaseActive {
			continue
		}
		err := s.inSession(ctx, sum.ID, func(o *open) error { return s.claimSoFar(ctx, o, snap, tip) })
		if err != nil {
			return err
		}
	}
	return nil
}

// claimSoFar is claimUnderWay for one session.
func (s *ManualCommitStrategy) claimSoFar(ctx context.Context, o *open, snap *snapshot, tip git.OID) error {
	if o.isNew || o.state.Phase != session.PhaseActive || !o.side.Turn.Seen {
		return nil
	}
	before, err := s.markedTree(ctx, o.side.Turn, snap.head)
	if err != nil {
		return err
	}
	c, err := s.repo.Reader(ctx).Commit(tip)
	if err != nil {
		return err
	}
	w := writtenStep{commit: c.OID, tree: c.Tree}
	w.skipped = checkpoint.ParseStep(c.Message).Kind == checkpoint.StepRewind // a rewind's changes are no session's
	if len(c.Parents) > 0 {
		w.parent = c.Parents[0]
	}
	changed, err := s.codeDiff(ctx, before, w.tree)
	if err != nil {
		return err
	}
	claimed := s.claims(ctx, o, snap, w, changed)
	s.rememberBefore(o, changed, claimed)
	o.state.TouchFiles(pathTexts(claimed)...)
	return nil
}
