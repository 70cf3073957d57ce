package strategy

import (
	"context"
	"errors"
	"fmt"

	"entire/agent"
	"entire/internal/redact"
	"entire/session"
)

// sessionStart returns the message that the agent shows at the start of a session. If a new process
// of the agent starts, it also closes a turn that the last process left open.
func (s *ManualCommitStrategy) sessionStart(ctx context.Context, ev agent.Event) (Response, error) {
	others := 0
	sums, err := s.store.Summaries(ctx)
	if err != nil {
		return Response{}, err
	}
	known, own := false, false
	for _, sum := range sums {
		if sum.ID == ev.SessionID {
			known, own = true, sum.FilesTouched > 0
		} else if s.mine(sum.WorktreePath, sum.WorktreeID) && sum.FilesTouched > 0 && sum.Phase != session.PhaseEnded {
			others++
		}
	}
	resp := Response{Output: agent.StartMessage(own, others)}
	if !known {
		return resp, nil
	}
	o, err := s.openSession(ctx, ev.SessionID)
	if err != nil {
		return resp, err
	}
	defer o.close()
	if ev.Source == "startup" || ev.Source == "resume" { // a new process of the agent: its last turn is over
		if err := s.closeTurn(ctx, o); err != nil {
			return resp, fmt.Errorf("close the interrupted turn: %w", err)
		}
		s.transition(o, session.TurnEnd)
	}
	s.transition(o, session.SessionStart)
	return resp, s.save(ctx, o)
}

// begin copies the event's facts into the session's state, and initialises the state of a new
// session.
func (s *ManualCommitStrategy) begin(ctx context.Context, o *open, ev agent.Event, snap *snapshot) error {
	st := o.state
	if err := s.claim(o); err != nil {
		return err
	}
	// One agent may run the hooks of another: the transcript's location proves which it is.
	if _, proven := agent.TypeByLocation(ev.TranscriptPath); proven || st.AgentType == "" || st.AgentType == agent.AgentTypeUnknown {
		st.AgentType = ev.AgentType
	}
	if ev.TranscriptPath != "" {
		st.TranscriptPath = ev.TranscriptPath
	}
	if ev.Prompt != "" && agent.CleanPrompt(st.FirstPrompt) == "" {
		st.FirstPrompt = agent.ShortPrompt(redact.Text(agent.CleanPrompt(ev.Prompt)), firstPromptRunes)
	}
	s.author(ctx, o)
	if !o.isNew {
		return nil
	}
	o.isNew = false
	st.CLIVersion = s.Version
	st.BaseCommit, st.AttributionBaseCommit = snap.head.String(), snap.head.String()
	st.StartedAt = s.Now()
	for _, f := range snap.files {
		if len(st.UntrackedFilesAtStart) < untrackedMax && f.mode != 0 {
			st.UntrackedFilesAtStart = append(st.UntrackedFilesAtStart, pathText(f.path))
		}
	}
	return nil
}

// SessionIDConflictError is returned when a session that has uncommitted work in one worktree
// reports from another.
type SessionIDConflictError struct {
	SessionID    string
	WorktreePath string // the worktree that has the uncommitted work
}

func (e *SessionIDConflictError) Error() string {
	return fmt.Sprintf("session %s has uncommitted work in %s", e.SessionID, e.WorktreePath)
}

// claim assigns the session to this worktree, unless it has uncommitted work in another.
func (s *ManualCommitStrategy) claim(o *open) error {
	st := o.state
	if st.WorktreePath != "" && !s.mine(st.WorktreePath, st.WorktreeID) {
		if len(st.FilesTouched) > 0 {
			return &SessionIDConflictError{o.id.String(), textPath(st.WorktreePath)}
		}
		st.BaseCommit, st.AttributionBaseCommit, st.CheckpointCount = "", "", 0
		o.side.Turn = turnMark{}
	}
	st.WorktreePath, st.WorktreeID = pathText(s.repo.Top), s.repo.WorktreeID
	return nil
}

func (s *ManualCommitStrategy) transition(o *open, ev session.EventKind) {
	in := session.TransitionContext{HasFilesTouched: len(o.state.FilesTouched) > 0}
	// The callers carry out the other actions of a transition.
	o.state.Apply(session.Transition(o.state.Phase, ev, in), s.Now())
}

// closeTurn finishes a turn in this worktree whose end was not reported, and saves what an ended
// turn had no time for.
func (s *ManualCommitStrategy) closeTurn(ctx context.Context, o *open) error {
	unended := o.state.Phase == session.PhaseActive && o.side.Turn.Seen
	if !unended && !o.hasLate() || !s.mine(o.state.WorktreePath, o.state.WorktreeID) {
		return nil
	}
	snap, err := s.soon(ctx)
	if err != nil {
		return err
	}
	if err := s.lookForMissed(ctx, o, snap.head); err != nil {
		return err
	}
	if !unended {
		return s.catchUp(ctx, o, snap)
	}
	o.interrupted = true
	return s.finishTurn(ctx, o, snap)
}

// sessionEnd closes an open turn and ends the session.
func (s *ManualCommitStrategy) sessionEnd(ctx context.Context, ev agent.Event) error {
	if _, err := s.store.Load(ctx, ev.SessionID); errors.Is(err, session.ErrNotFound) {
		return nil // the session never had a prompt
	}
	o, err := s.openSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.close()
	if err := s.closeTurn(ctx, o); err != nil {
		return err
	}
	if err := s.finalise(ctx, o); err != nil {
		return err
	}
	s.transition(o, session.SessionStop)
	now := s.Now()
	o.state.EndedAt = &now
	return s.save(ctx, o)
}
