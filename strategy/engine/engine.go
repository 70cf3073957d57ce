package engine

import (
	"context"
	"fmt"

	"entire/agent"
	"entire/strategy/autocommit"
	"entire/strategy/condense"
	"entire/strategy/link"
	"entire/strategy/maintain"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
	"entire/strategy/turn"
)

// handleAndCommit carries out one event of an agent and commits the work that the event completes. A
// commit that could not be made is no error: the work waits.
func handleAndCommit(ctx context.Context, a *sessionstate.Env, ev agent.Event) (turn.Response, error) {
	switch ev.Type {
	case agent.TurnStart:
		// An interrupted turn is committed first, so that its work does not count as the new turn's.
		if err := autocommit.CommitInterrupted(ctx, a, ev); err != nil {
			a.Log.Error("the turn before was not committed", "session_id", ev.SessionID.String(), "err", err)
		}
		return handle(ctx, a, ev)
	case agent.Todo:
		if on, err := autocommit.OnDefaultBranch(ctx, a); err != nil || on {
			return turn.Response{}, err // no commits in the middle of a subagent's run there
		}
	}
	resp, err := handle(ctx, a, ev)
	if err != nil {
		return resp, err
	}
	switch ev.Type {
	case agent.TurnEnd, agent.SessionEnd, agent.SessionStart, agent.Idle:
		err = autocommit.CommitSession(ctx, a, ev.SessionID, autocommit.RetryAlways)
	case agent.TaskEnd, agent.Todo, agent.TurnContinues:
		err = autocommit.CommitSession(ctx, a, ev.SessionID, autocommit.RetryAlways)
	}
	return resp, err
}

// Handle carries out one event of an agent, after finishing what an earlier crash left undone. On
// an error, nothing that was captured before is lost. A session with uncommitted work in another worktree stays
// there, whatever worktree its agent is in now.
func Handle(ctx context.Context, s *sessionstate.Env, ev agent.Event) (turn.Response, error) {
	if top := turn.WorksIn(ctx, s, ev); top != "" && s.OpenRepo != nil {
		repo, err := s.OpenRepo(ctx, top)
		if err != nil {
			return turn.Response{}, fmt.Errorf("open the worktree of session %s: %w", ev.SessionID, err)
		}
		defer repo.Close()
		there := s.Options
		there.Repo = repo
		s = sessionstate.New(there)
	}
	if s.Auto {
		return handleAndCommit(ctx, s, ev)
	}
	return handle(ctx, s, ev)
}

// handle carries out one event without a commit.
func handle(ctx context.Context, s *sessionstate.Env, ev agent.Event) (turn.Response, error) {
	if s.Repo.Top == "" {
		return turn.Response{}, fmt.Errorf("handle %s: a bare repository has no files to keep", ev.Type)
	}
	s.EventSession, s.EventTranscript = ev.SessionID, ev.TranscriptPath
	transcript.Await(ctx, ev)
	if _, err := rewind.Recover(ctx, s); err != nil {
		s.Log.Error("recovery incomplete", "err", err)
	}
	defer condense.ApplyMoves(ctx, s)
	transcript.ReadOpenTurns(ctx, s, ev)
	if ev.Type == agent.TurnStart || ev.Type == agent.TurnEnd {
		link.CatchUp(ctx, s, ev.SessionID)
	}
	var resp turn.Response
	err := withRepair(ctx, s, func() error {
		return link.RecordUnhookedFirst(ctx, s, ev.SessionID, func() (err error) {
			resp, err = dispatch(ctx, s, ev)
			return err
		})
	})
	maintain.NoteOutcome(s, ev, err)
	if err != nil {
		return turn.Response{}, fmt.Errorf("%s of session %s: %w", ev.Type, ev.SessionID, err)
	}
	return resp, nil
}

// dispatch calls the function for the event's type; other types are ignored.
func dispatch(ctx context.Context, s *sessionstate.Env, ev agent.Event) (resp turn.Response, err error) {
	switch ev.Type {
	case agent.SessionStart:
		resp, err = turn.SessionStart(ctx, s, ev)
	case agent.TurnStart:
		if err = turn.TurnStart(ctx, s, ev); err == nil {
			resp.Output = transcript.RemovedMessages(s, ev)
		}
	case agent.TurnContinues:
		err = turn.ContinueTurn(ctx, s, ev)
	case agent.TurnEnd:
		err = turn.TurnEnd(ctx, s, ev)
	case agent.SessionEnd:
		err = turn.SessionEnd(ctx, s, ev)
	case agent.Idle:
		err = turn.Idle(ctx, s, ev)
	case agent.TaskStart:
		err = turn.TaskStart(ctx, s, ev)
	case agent.TaskEnd:
		err = turn.TaskEnd(ctx, s, ev)
	case agent.Todo:
		err = turn.TodoStep(ctx, s, ev)
	case agent.ToolStart, agent.ToolEnd:
		resp.Saved, err = turn.SaveDuringTurn(ctx, s, ev)
		resp.Others = !resp.Saved.IsZero() && turn.IsOfAnother(ctx, s, ev.SessionID, resp.Saved)
	case agent.Said:
		err = turn.KeepConversation(ctx, s, ev)
	default:
		s.Log.Debug("event ignored", "event", string(ev.Type))
	}
	return resp, err
}
