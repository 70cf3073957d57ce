package strategy

import (
	"context"
	"slices"

	"entire/internal/git"
	"entire/session"
)

// claimMidTurn gives a session in mid-turn what it has done so far of the work
// that a commit carries forward. Another session's step holds it, and the turn's
// mark is about to be moved there: at the turn's end it would look as if it had
// always been so.
func (s *ManualCommitStrategy) claimMidTurn(ctx context.Context, o *open, cm madeCommit, done settled) error {
	if o.state.Phase != session.PhaseActive || !o.side.Turn.Seen || len(done.remain) == 0 || done.tip.IsZero() {
		return nil
	}
	before, err := s.markedTree(ctx, o.side.Turn, cm.parent)
	if err != nil {
		return err
	}
	tip, err := s.repo.Reader(ctx).Commit(done.tip)
	if err != nil {
		return err
	}
	changed, err := s.codeDiff(ctx, before, tip.Tree)
	if err != nil {
		return err
	}
	changed = slices.DeleteFunc(changed, func(c git.Change) bool {
		_, left := done.remain.find(c.Path)
		return !left || cm.took(c.Path)
	})
	if len(changed) == 0 {
		return nil
	}
	claimed, named := s.othersFiles(ctx, o.id, cm.sums, setOf(paths(changed)))
	var w work
	if len(claimed)+len(named) > 0 {
		s.witness(o, &w) // what its own tools wrote is its own whoever else was there
	}
	own := slices.DeleteFunc(paths(changed), func(p string) bool { return !w.edited[p] && (claimed[p] || named[p]) })
	s.rememberBefore(o, changed, own)
	o.state.TouchFiles(pathTexts(own)...)
	return nil
}
