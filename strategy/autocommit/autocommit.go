package autocommit

import (
	"context"
	"errors"

	"entire/agent"
	"entire/internal/redact"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/link"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/turn"
)

// NewAutoCommit returns the engine of auto-commit for one worktree. At the end of every turn
// that changed something it makes a commit on the current branch, and a checkpoint for it.
//
// The engine first saves the turn as a step. Then it runs `git commit` for the session's files
// alone, with the user's hooks and signature, and turns the step into the commit's checkpoint. If
// the commit cannot be made, because a hook refuses it or a merge is in progress, the work stays
// a step: nothing is lost, `entire status` says why, and the end of the next turn tries again
// unless the user has committed the work by then.
//
// What a person changed before the turn stays uncommitted, and what they staged stays staged; see
// [sessionFile.plan] for files that both changed.
func NewAutoCommit(o sessionstate.Options) *sessionstate.Env {
	s := sessionstate.New(o)
	s.Auto = true
	return s
}

// CommitInterrupted ends and commits a turn whose end no event told, when the event tells of the
// next one.
func CommitInterrupted(ctx context.Context, a *sessionstate.Env, ev agent.Event) error {
	sid := ev.SessionID
	if a.Repo.Top == "" {
		return nil
	}
	if _, err := rewind.Recover(ctx, a); err != nil {
		a.Log.Error("recovery incomplete", "err", err)
	}
	st, err := a.Store.Load(ctx, sid)
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	if err != nil || st.Phase != session.PhaseActive && len(st.FilesTouched) == 0 {
		return err
	}
	err = link.RecordUnhookedFirst(ctx, a, sid, func() error { return endInterrupted(ctx, a, ev) })
	if err != nil {
		return err
	}
	return CommitSession(ctx, a, sid, retryUnlessRefused)
}

// endInterrupted closes the interrupted turn of a session of this worktree.
func endInterrupted(ctx context.Context, a *sessionstate.Env, ev agent.Event) error {
	return a.UpdateSession(ctx, ev.SessionID, func(o *sessionstate.LockedSession) error {
		if o.State.Phase != session.PhaseActive || !a.InThisWorktree(o.State.WorktreePath, o.State.WorktreeID) {
			return nil
		}
		o.NextPrompt = redact.Text(ev.Prompt)
		if err := turn.CloseTurn(ctx, a, o); err != nil {
			return err
		}
		condense.Transition(a, o, session.TurnEnd)
		return nil
	})
}

// retry says whether to try a commit again that git or a hook has refused.
type retry bool

const (
	RetryAlways        retry = true
	retryUnlessRefused retry = false
)
