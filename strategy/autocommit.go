package strategy

import (
	"context"
	"errors"

	"entire/agent"
	"entire/checkpoint"
	"entire/internal/redact"
	"entire/session"
)

// StrategyAuto is the name of the strategy that commits every turn.
const StrategyAuto = "auto-commit"

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
// [fileTurn.plan] for files that both changed.
func NewAutoCommit(o Options) *ManualCommitStrategy {
	s := New(o)
	s.auto = true
	return s
}

// name is the strategy's name in checkpoints.
func (s *ManualCommitStrategy) name() string {
	if s.auto {
		return StrategyAuto
	}
	return checkpoint.StrategyManual
}

// handleAndCommit carries out one event of an agent and commits the work that the event completes. A
// commit that could not be made is no error: the work waits.
func (a *ManualCommitStrategy) handleAndCommit(ctx context.Context, ev agent.Event) (Response, error) {
	switch ev.Type {
	case agent.TurnStart:
		// An interrupted turn is committed first, so that its work does not count as the new turn's.
		if err := a.commitInterrupted(ctx, ev); err != nil {
			a.Log.Error("the turn before was not committed", "session_id", ev.SessionID.String(), "err", err)
		}
		return a.handle(ctx, ev)
	case agent.Todo:
		if on, err := a.onDefaultBranch(ctx); err != nil || on {
			return Response{}, err // no commits in the middle of a subagent's run there
		}
	}
	resp, err := a.handle(ctx, ev)
	if err != nil {
		return resp, err
	}
	switch ev.Type {
	case agent.TurnEnd, agent.SessionEnd, agent.SessionStart:
		err = a.commitSession(ctx, ev.SessionID, always)
	case agent.TaskEnd, agent.Todo, agent.TurnGoesOn:
		err = a.commitSession(ctx, ev.SessionID, always)
	}
	return resp, err
}

// commitInterrupted ends and commits a turn whose end no event told, when the event tells of the
// next one.
func (a *ManualCommitStrategy) commitInterrupted(ctx context.Context, ev agent.Event) error {
	sid := ev.SessionID
	if a.repo.Top == "" {
		return nil
	}
	if _, err := a.Recover(ctx); err != nil {
		a.Log.Error("recovery incomplete", "err", err)
	}
	st, err := a.store.Load(ctx, sid)
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	if err != nil || st.Phase != session.PhaseActive && len(st.FilesTouched) == 0 {
		return err
	}
	err = a.recordingMissed(ctx, sid, func() error { return a.endInterrupted(ctx, ev) })
	if err != nil {
		return err
	}
	return a.commitSession(ctx, sid, unlessRefused)
}

// endInterrupted closes the interrupted turn of a session of this worktree.
func (a *ManualCommitStrategy) endInterrupted(ctx context.Context, ev agent.Event) error {
	return a.inSession(ctx, ev.SessionID, func(o *open) error {
		if o.state.Phase != session.PhaseActive || !a.mine(o.state.WorktreePath, o.state.WorktreeID) {
			return nil
		}
		o.next = redact.Text(ev.Prompt)
		if err := a.closeTurn(ctx, o); err != nil {
			return err
		}
		a.transition(o, session.TurnEnd)
		return nil
	})
}

// retry says whether to try a commit again that git or a hook has refused.
type retry bool

const (
	always        retry = true
	unlessRefused retry = false
)
