package maintain

import (
	"context"
	"errors"

	"entire/internal/git"
	"entire/session"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// forgetLost removes the names of lost objects from the states of this worktree's sessions. Their
// next steps build on what there is, and their transcripts are read again.
func forgetLost(ctx context.Context, s *sessionstate.Env) error {
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		return err
	}
	for _, sum := range sums {
		if !step.HasPendingWork(sum) && sum.CheckpointCount == 0 && sum.Phase == session.PhaseEnded {
			continue
		}
		err = errors.Join(err, s.UpdateSession(ctx, sum.ID, func(o *sessionstate.LockedSession) error {
			if o.IsNew {
				return session.ErrNotFound
			}
			return forgetLostIn(ctx, s, o)
		}))
	}
	return err
}

// forgetLostIn is forgetLost for one session.
func forgetLostIn(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) error {
	tip, _, err := s.Repo.Reader(ctx).CommitOf(worktree.ShadowRef(s, step.BaseOf(o)))
	if err != nil {
		return err
	}
	for _, oid := range []*git.OID{&o.Engine.LastStep, &o.Engine.TurnStart.Step} {
		if oid.IsZero() {
			continue
		}
		lost, err := s.Repo.Lost(ctx, *oid)
		if err != nil {
			return err
		}
		if !lost.IsZero() {
			*oid = tip.OID
		}
	}
	if lost, err := step.AnyLost(ctx, s, o.Engine.Capture.Log.Blobs()...); err != nil || !lost {
		return err
	}
	o.Engine.Chunks = max(o.Engine.Chunks, len(o.Engine.Capture.Log.Blobs()))
	transcript.ReplaceWith(&o.Engine.Capture, sessionstate.TranscriptState{})
	return nil
}
