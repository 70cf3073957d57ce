package strategy

import (
	"context"
	"slices"

	"entire/id"
	"entire/internal/git"
	"entire/session"
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

// leadAlong renames the branch of idle sessions whose work lies in the worktree
// still, before a turn begins another on the HEAD that has moved from under them:
// there it would be in their way. Their states follow with bringAlong. Of several
// branches the one last worked on is taken.
func (s *ManualCommitStrategy) leadAlong(ctx context.Context, o *open, snap *snapshot) error {
	if len(snap.files) == 0 { // no work lies there
		return nil
	}
	if _, taken, err := s.repo.Reader(ctx).CommitOf(s.shadowRef(snap.head)); err != nil || taken {
		return err
	}
	sums, err := s.idleElsewhere(ctx, o.id, snap.head)
	if err != nil {
		return err
	}
	for _, sum := range sums {
		if !sum.Touches(snap.dirty) {
			continue
		}
		other := &open{id: sum.ID}
		if err := s.readSession(ctx, other); err != nil {
			return err
		}
		if other.isNew || baseOf(other).String() != sum.BaseCommit || !snap.hasAny(other.state.FilesTouched) {
			continue
		}
		if err := s.moveSteps(ctx, other, baseOf(other), snap.head); err != nil {
			return err
		}
		if n := len(s.moves); n > 0 && s.moves[n-1].by == other.id {
			s.moves[n-1].by = o.id // whose state is on HEAD already
			return nil
		}
	}
	return nil
}

// leadTo lets a session follow HEAD, and with it those whose steps share its
// branch, before somebody else's step begins another on that commit.
func (s *ManualCommitStrategy) leadTo(ctx context.Context, sid id.SessionID, snap *snapshot) error {
	if sid.IsZero() {
		return nil
	}
	o, err := s.openSession(ctx, sid)
	if err != nil {
		return err
	}
	defer o.close()
	if o.isNew || baseOf(o) == snap.head {
		return nil
	}
	if err := s.followHead(ctx, o, snap); err != nil {
		return err
	}
	return s.save(ctx, o)
}

// idleElsewhere are the other sessions of this worktree with pending work on
// another commit on which nobody is in mid-turn, the newest first.
func (s *ManualCommitStrategy) idleElsewhere(ctx context.Context, self id.SessionID, head git.OID) ([]session.Summary, error) {
	sums, err := s.here(ctx)
	if err != nil {
		return nil, err
	}
	busy := map[string]bool{head.String(): true}
	for _, sum := range sums {
		if sum.ID != self && sum.Phase == session.PhaseActive {
			busy[sum.BaseCommit] = true
		}
	}
	sums = slices.DeleteFunc(sums, func(sum session.Summary) bool {
		return sum.ID == self || sum.FilesTouched == 0 || busy[sum.BaseCommit]
	})
	slices.SortStableFunc(sums, func(a, b session.Summary) int { return b.LastInteraction.Compare(a.LastInteraction) })
	return sums, nil
}

// hasAny reports whether one of the files a state lists differs from HEAD.
func (snap *snapshot) hasAny(files []string) bool {
	return slices.ContainsFunc(files, snap.dirty)
}

// dirty reports whether a file, named as states do, differs from HEAD.
func (snap *snapshot) dirty(path string) bool {
	_, dirty := snap.files.find(textPath(path))
	return dirty
}
