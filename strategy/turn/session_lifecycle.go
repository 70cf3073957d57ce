package turn

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"entire/agent"
	"entire/internal/git"
	"entire/internal/redact"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/link"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// Response is what a hook tells the agent.
type Response struct {
	Output []byte  // what the hook prints on its standard output; nil for nothing
	Saved  git.OID // the step that holds the files as they are in the middle of a turn; zero if none does
	// Others says that Saved is not a step of the session: a rewind to it leaves what the session, being at work,
	// has changed since, unless the rewind names the session.
	Others bool
}

// FirstPromptRunes is how much of a session's first prompt its state shows.
const FirstPromptRunes = 100

// untrackedMax bounds the list of untracked files in a new session's state.
const untrackedMax = 1000

// SessionStart returns the message that the agent shows at the start of a session. If a new process
// of the agent starts, it also closes a turn that the last process left open.
func SessionStart(ctx context.Context, s *sessionstate.Env, ev agent.Event) (Response, error) {
	others := 0
	sums, err := s.Store.Summaries(ctx)
	if err != nil {
		return Response{}, err
	}
	known, own := false, false
	for _, sum := range sums {
		if sum.ID == ev.SessionID {
			known, own = true, sum.FilesTouched > 0
		} else if s.InThisWorktree(sum.WorktreePath, sum.WorktreeID) && sum.FilesTouched > 0 && sum.Phase != session.PhaseEnded {
			others++
		}
	}
	resp := Response{Output: agent.StartMessage(own, others)}
	if !known {
		return resp, nil
	}
	o, err := s.OpenSession(ctx, ev.SessionID)
	if err != nil {
		return resp, err
	}
	defer o.Close()
	// A new process of the agent: its last turn is over, unless the hook of a prompt overtook this one.
	if at := o.State.LastInteractionTime; (ev.Source == "startup" || ev.Source == "resume") && (at == nil || !at.After(ev.Time)) {
		if err := CloseTurn(ctx, s, o); err != nil {
			return resp, fmt.Errorf("close the interrupted turn: %w", err)
		}
		condense.Transition(s, o, session.TurnEnd)
	}
	condense.Transition(s, o, session.SessionStart)
	return resp, s.SaveSession(ctx, o)
}

// beginSession copies the event's facts into the session's state, and initialises the state of a new
// session.
func beginSession(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, ev agent.Event, snap *worktree.Snapshot) error {
	st := o.State
	if err := claimSession(s, o); err != nil {
		return err
	}
	// One agent may run the hooks of another: the transcript's location proves which it is.
	if _, proven := agent.TypeByLocation(ev.TranscriptPath); proven || st.AgentType == "" || st.AgentType == agent.AgentTypeUnknown {
		st.AgentType = ev.AgentType
	}
	if ev.TranscriptPath != "" {
		st.TranscriptPath = ev.TranscriptPath
	}
	if err := transcript.KeepLines(s, o, ev); err != nil {
		return err
	}
	o.Engine.Capture.Told.Note(ev)
	if ev.Prompt != "" && agent.CleanPrompt(st.FirstPrompt) == "" && !s.Sealing() {
		st.FirstPrompt = agent.ShortPrompt(redact.Text(agent.CleanPrompt(ev.Prompt)), FirstPromptRunes)
	}
	s.AuthorOf(ctx, o)
	if !o.IsNew {
		return nil
	}
	o.IsNew = false
	st.CLIVersion = s.Version
	st.BaseCommit, st.AttributionBaseCommit = snap.Head.String(), snap.Head.String()
	st.StartedAt, st.CheckpointTranscriptStart = s.Now(), o.Engine.CondensedMark.Start(st.AgentType)
	for _, f := range snap.Files {
		if len(st.UntrackedFilesAtStart) < untrackedMax && f.Mode != 0 {
			st.UntrackedFilesAtStart = append(st.UntrackedFilesAtStart, sessionstate.EncodePath(f.Path))
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

// WorksIn returns the top of another worktree in which the session of an event has uncommitted work, "" for none. An event
// of a call says nothing of the session, but of the files where the call runs.
func WorksIn(ctx context.Context, s *sessionstate.Env, ev agent.Event) string {
	linked := filepath.Join(s.Repo.CommonDir, "worktrees")
	if s.Repo.Top == "" || ev.Type == agent.ToolStart || ev.Type == agent.ToolEnd || s.Repo.WorktreeID == "" && !sessionstate.PathExists(linked) {
		return ""
	}
	st, err := s.Store.Load(ctx, ev.SessionID)
	if err != nil || len(st.FilesTouched) == 0 || st.WorktreePath == "" || s.InThisWorktree(st.WorktreePath, st.WorktreeID) {
		return "" // the event says what is wrong
	}
	top := sessionstate.DecodePath(st.WorktreePath)
	if !sessionstate.PathExists(filepath.Join(top, ".git")) {
		return ""
	}
	return top
}

// claimSession assigns the session to this worktree, unless it has uncommitted work in another that is still there.
func claimSession(s *sessionstate.Env, o *sessionstate.LockedSession) error {
	st := o.State
	if st.WorktreePath != "" && !s.InThisWorktree(st.WorktreePath, st.WorktreeID) {
		if len(st.FilesTouched) > 0 && sessionstate.PathExists(sessionstate.DecodePath(st.WorktreePath)) {
			return &SessionIDConflictError{o.ID.String(), sessionstate.DecodePath(st.WorktreePath)}
		}
		st.BaseCommit, st.AttributionBaseCommit, st.CheckpointCount, st.FilesTouched = "", "", 0, nil
		o.Engine.TurnStart = sessionstate.TurnStart{}
	}
	st.WorktreePath, st.WorktreeID = sessionstate.EncodePath(s.Repo.Top), s.Repo.WorktreeID
	return nil
}

// CloseTurn finishes a turn in this worktree whose end was not reported, and saves what an ended
// turn had no time for.
func CloseTurn(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) error {
	unended := o.State.Phase == session.PhaseActive && o.Engine.TurnStart.Seen
	if !unended && !hasLate(o) || !s.InThisWorktree(o.State.WorktreePath, o.State.WorktreeID) {
		return nil
	}
	snap, err := snapshotInTime(ctx, s)
	if err != nil {
		return err
	}
	if err := link.CheckUnhooked(ctx, s, o, snap.Head); err != nil {
		return err
	}
	if !unended {
		return catchUp(ctx, s, o, snap)
	}
	o.Interrupted = true
	return finishTurn(ctx, s, o, snap)
}

// Idle closes a turn that the person interrupted: what changes from now on is not the agent's. While subagents
// work in the background, the turn goes on.
func Idle(ctx context.Context, s *sessionstate.Env, ev agent.Event) error {
	if _, err := s.Store.Load(ctx, ev.SessionID); errors.Is(err, session.ErrNotFound) {
		return nil
	}
	o, err := s.OpenSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.Close()
	if !inTurn(o) || o.Engine.TurnStart.EndReported || o.State.LastInteractionTime != nil && o.State.LastInteractionTime.After(ev.Time) {
		return nil
	}
	if err := CloseTurn(ctx, s, o); err != nil {
		return fmt.Errorf("close the interrupted turn: %w", err)
	}
	condense.Transition(s, o, session.TurnEnd)
	return s.SaveSession(ctx, o)
}

// SessionEnd closes an open turn and ends the session.
func SessionEnd(ctx context.Context, s *sessionstate.Env, ev agent.Event) error {
	if _, err := s.Store.Load(ctx, ev.SessionID); errors.Is(err, session.ErrNotFound) {
		return nil // the session never had a prompt
	}
	o, err := s.OpenSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.Close()
	if err := CloseTurn(ctx, s, o); err != nil {
		return err
	}
	if err := condense.Finalise(ctx, s, o); err != nil {
		return err
	}
	condense.Transition(s, o, session.SessionStop)
	now := s.Now()
	o.State.EndedAt = &now
	return s.SaveSession(ctx, o)
}
