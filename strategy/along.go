package strategy

import (
	"context"
	"slices"

	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// headMove records that a shadow branch was renamed from one commit to another because HEAD
// moved. by is the session whose event renamed it.
type headMove struct {
	from, to git.OID
	by       id.SessionID
}

// bringAlong updates the other sessions whose steps are on a branch that this call renamed: their
// states still name the old commit. The caller must hold no session's lock.
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

// leadAlong renames idle sessions' shadow branches to the new HEAD when their files are still
// uncommitted, so that the turn that begins does not start a second branch there. It takes the
// branch with the latest interaction; bringAlong updates the states.
func (s *ManualCommitStrategy) leadAlong(ctx context.Context, o *open, snap *snapshot) error {
	if len(snap.files) == 0 { // every file is as in HEAD
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
			s.moves[n-1].by = o.id // this session's state names HEAD already
			return nil
		}
	}
	return nil
}

// leadTo migrates a session, and the sessions that share its branch, to HEAD before a step of
// another session begins a branch there. A zero ID does nothing.
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

// idleElsewhere returns the other sessions of this worktree that have uncommitted files on
// another commit than head, the latest first. It leaves out commits on which a session is in the
// middle of a turn.
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

// hasAny reports whether one of the files that a state lists differs from HEAD.
func (snap *snapshot) hasAny(files []string) bool {
	return slices.ContainsFunc(files, snap.dirty)
}

// dirty reports whether a file differs from HEAD; path is written as states write it.
func (snap *snapshot) dirty(path string) bool {
	_, dirty := snap.files.find(textPath(path))
	return dirty
}
