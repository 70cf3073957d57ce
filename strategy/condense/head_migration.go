package condense

import (
	"context"
	"slices"

	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// ApplyMoves updates the other sessions whose steps are on a branch that this call renamed: their
// states still name the old commit. The caller must hold no session's lock.
func ApplyMoves(ctx context.Context, s *sessionstate.Env) {
	moves := s.PendingMoves
	s.PendingMoves = nil
	if len(moves) == 0 {
		return
	}
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		s.Log.Error("sessions left behind by a move of HEAD", "err", err)
		return
	}
	for _, m := range moves {
		for _, sum := range sums {
			if sum.ID == m.Session || !step.HasPendingWork(sum) || sum.BaseCommit != m.From.String() {
				continue
			}
			err := s.UpdateSession(ctx, sum.ID, func(o *sessionstate.LockedSession) error {
				if o.IsNew || step.BaseOf(o) != m.From {
					return nil
				}
				return FollowHead(ctx, s, o, &worktree.Snapshot{Head: m.To})
			})
			if err != nil {
				s.Log.Error("session left behind by a move of HEAD", "session_id", sum.ID.String(), "err", err)
			}
		}
	}
}

// MigrateIdle renames idle sessions' shadow branches to the new HEAD when their files are still
// uncommitted, so that the turn that begins does not start a second branch there. It takes the
// branch with the latest interaction; ApplyMoves updates the states.
func MigrateIdle(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot) error {
	if len(snap.Files) == 0 { // every file is as in HEAD
		return nil
	}
	if _, taken, err := s.Repo.Reader(ctx).CommitOf(worktree.ShadowRef(s, snap.Head)); err != nil || taken {
		return err
	}
	sums, err := idleOnOtherCommits(ctx, s, o.ID, snap.Head)
	if err != nil {
		return err
	}
	for _, sum := range sums {
		if !sum.Touches(func(path string) bool { return isDirty(snap, path) }) {
			continue
		}
		other := &sessionstate.LockedSession{ID: sum.ID}
		if err := s.ReadSession(ctx, other); err != nil {
			return err
		}
		if other.IsNew || step.BaseOf(other).String() != sum.BaseCommit || !anyDirty(snap, other.State.FilesTouched) {
			continue
		}
		if err := moveShadowBranch(ctx, s, other, step.BaseOf(other), snap.Head); err != nil {
			return err
		}
		if n := len(s.PendingMoves); n > 0 && s.PendingMoves[n-1].Session == other.ID {
			s.PendingMoves[n-1].Session = o.ID // this session's state names HEAD already
			return nil
		}
	}
	return nil
}

// Migrate migrates a session, and the sessions that share its branch, to HEAD before a step of
// another session begins a branch there. A zero ID does nothing.
func Migrate(ctx context.Context, s *sessionstate.Env, sid id.SessionID, snap *worktree.Snapshot) error {
	if sid.IsZero() {
		return nil
	}
	o, err := s.OpenSession(ctx, sid)
	if err != nil {
		return err
	}
	defer o.Close()
	if o.IsNew || step.BaseOf(o) == snap.Head {
		return nil
	}
	if err := FollowHead(ctx, s, o, snap); err != nil {
		return err
	}
	return s.SaveSession(ctx, o)
}

// idleOnOtherCommits returns the other sessions of this worktree that have uncommitted files on
// another commit than head, the latest first. It leaves out commits on which a session is in the
// middle of a turn.
func idleOnOtherCommits(ctx context.Context, s *sessionstate.Env, self id.SessionID, head git.OID) ([]session.Summary, error) {
	sums, err := step.WorktreeSessions(ctx, s)
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

// anyDirty reports whether one of the files that a state lists differs from HEAD.
func anyDirty(snap *worktree.Snapshot, files []string) bool {
	return slices.ContainsFunc(files, func(path string) bool { return isDirty(snap, path) })
}

// isDirty reports whether a file differs from HEAD; path is written as states write it.
func isDirty(snap *worktree.Snapshot, path string) bool {
	_, dirty := worktree.Find(snap.Files, sessionstate.DecodePath(path))
	return dirty
}
