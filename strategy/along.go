package strategy

import (
	"context"

	"entire/id"
	"entire/internal/git"
)

// headMove is a shadow branch that was renamed because HEAD had moved.
type headMove struct {
	from, to git.OID
	by       id.SessionID
}

// bringAlong lets the other sessions follow whose steps were on a branch that
// this call has renamed: their states name it by the commit it was made on. It
// is called when no session's lock is held.
func (s *ManualCommitStrategy) bringAlong(ctx context.Context) {
	moves := s.moves
	s.moves = nil
	if len(moves) == 0 {
		return
	}
	sums, err := s.here(ctx)
	if err != nil {
		s.Log.Error("sessions left behind by a move of HEAD", "err", err)
		return
	}
	for _, m := range moves {
		for _, sum := range sums {
			if sum.ID == m.by || !pending(sum) || sum.BaseCommit != m.from.String() {
				continue
			}
			err := s.inSession(ctx, sum.ID, func(o *open) error {
				if o.isNew || baseOf(o) != m.from {
					return nil
				}
				return s.followHead(ctx, o, &snapshot{head: m.to})
			})
			if err != nil {
				s.Log.Error("session left behind by a move of HEAD", "session_id", sum.ID.String(), "err", err)
			}
		}
	}
}
