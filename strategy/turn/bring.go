package turn

import (
	"context"
	"slices"

	"entire/agent"
	"entire/agent/conversation"
	"entire/id"
	"entire/internal/git"
	"entire/internal/redact"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// Brought is a session that Adopt or Attach has brought into this worktree.
type Brought struct {
	State *session.State
	From  string   // the worktree that it was taken from, "" for none
	Left  []string // what it had pending there
	Here  bool     // it belonged to this worktree already: nothing was done
}

// Adopt makes a session of another worktree one of this worktree. Its turn, if one is open, goes on here,
// and files here that its calls wrote since its last checkpoint become its work. A session with work
// pending in the other worktree is refused with a SessionIDConflictError, unless force lets go of that
// work. It returns session.ErrNotFound if the session has no state.
func Adopt(ctx context.Context, s *sessionstate.Env, sid id.SessionID, force bool) (Brought, error) {
	o, err := s.OpenSession(ctx, sid)
	if err != nil {
		return Brought{}, err
	}
	defer o.Close()
	st := o.State
	if o.IsNew {
		return Brought{}, session.ErrNotFound
	}
	b := Brought{State: st, From: sessionstate.DecodePath(st.WorktreePath)}
	if s.InThisWorktree(st.WorktreePath, st.WorktreeID) {
		b.Here = true
		return b, nil
	}
	if b.Left = sessionstate.DecodePaths(st.FilesTouched); len(b.Left) > 0 && !force {
		return b, &SessionIDConflictError{sid.String(), b.From}
	}
	was, inTurn := o.Engine.TurnStart, step.InTurn(o)
	st.FilesTouched, o.Engine.LastStep, o.Engine.Claim, o.Engine.LateFiles, o.Engine.NotCaptured = nil, git.OID{}, sessionstate.FileClaim{}, nil, nil
	if err := claimSession(s, o); err != nil {
		return b, err
	}
	if inTurn {
		o.Engine.TurnStart = sessionstate.TurnStart{ConversationMark: was.ConversationMark, TranscriptSize: was.TranscriptSize, TranscriptLines: was.TranscriptLines}
	}
	if err := bring(ctx, s, o, o.Engine.CondensedMark, inTurn); err != nil {
		return b, err
	}
	if err := s.Store.SaveSide(sid, AdoptedName, AdoptedFrom{From: b.From, To: s.Repo.Top}); err != nil {
		return b, err
	}
	return b, s.SaveSession(ctx, o)
}

// AdoptedName is the side file of a session that was adopted.
const AdoptedName = "adopted.json"

// AdoptedFrom says that the events of a session's agent in one worktree count in another.
type AdoptedFrom struct {
	From string `json:"from"` // the top of the worktree in which the agent runs
	To   string `json:"to"`   // the top of the worktree that has the session
}

// Attach starts recording a session that began without us, from the transcript that the event names. Files
// here that its calls wrote become its work, as of one turn that was interrupted; the agent's next event
// goes on from there. A session that has a state already stays as it is: From is then its worktree.
func Attach(ctx context.Context, s *sessionstate.Env, ev agent.Event) (Brought, error) {
	o, err := s.OpenSession(ctx, ev.SessionID)
	if err != nil {
		return Brought{}, err
	}
	defer o.Close()
	if !o.IsNew {
		here := s.InThisWorktree(o.State.WorktreePath, o.State.WorktreeID)
		return Brought{State: o.State, From: sessionstate.DecodePath(o.State.WorktreePath), Here: here}, nil
	}
	snap, err := snapshotInTime(ctx, s)
	if err != nil {
		return Brought{}, err
	}
	if err := beginSession(ctx, s, o, ev, snap); err != nil {
		return Brought{}, err
	}
	o.State.UntrackedFilesAtStart = nil // they may be the session's own
	if err := bring(ctx, s, o, conversation.Mark{}, false); err != nil {
		return Brought{}, err
	}
	if t := o.Engine.Capture.Conversation; t != nil {
		if asked := agent.TypedPrompts(t.Prompts); len(asked) > 0 && o.State.FirstPrompt == "" && !s.Sealing() {
			o.State.FirstPrompt = agent.ShortPrompt(redact.Text(asked[0]), FirstPromptRunes)
		}
	}
	return Brought{State: o.State}, s.SaveSession(ctx, o)
}

// bring begins the session's work in this worktree: what its calls since the mark, or since the start of
// the turn that goes on, wrote becomes a step of its own, as of an interrupted turn, because nobody saw what
// else happened to those files. Any other difference from HEAD is a person's.
func bring(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, since conversation.Mark, goesOn bool) error {
	snap, err := snapshotInTime(ctx, s)
	if err != nil {
		return err
	}
	o.State.BaseCommit, o.State.AttributionBaseCommit = snap.Head.String(), snap.Head.String()
	o.Engine.ReflogSize = githead.ReflogSize(ctx, s)
	if err := TryReadTranscript(ctx, s, o); err != nil {
		return err
	}
	began, process := sessionstate.TurnStart{ConversationMark: since}, o.Engine.AgentProcess
	if goesOn {
		began = o.Engine.TurnStart
		since = began.ConversationStart()
	}
	others := *snap
	others.Files = slices.DeleteFunc(slices.Clone(snap.Files), wroteFile(s, o, since))
	if err := recordTurnStart(ctx, s, o, &others); err != nil {
		return err
	}
	at := &o.Engine.TurnStart
	at.ConversationMark, at.TranscriptSize, at.TranscriptLines = began.ConversationMark, began.TranscriptSize, began.TranscriptLines
	o.Engine.AgentProcess = process // this process is a person's command
	if len(others.Files) < len(snap.Files) {
		o.Interrupted = true
		if err := writeAgentStep(ctx, s, o, snap); err != nil {
			return err
		}
		o.Engine.TurnStart.OwnStepDue = goesOn
	}
	if !goesOn {
		condense.Transition(s, o, session.TurnEnd)
	}
	return nil
}

// wroteFile returns a function that reports whether the session's calls since a mark wrote a file of this
// worktree.
func wroteFile(s *sessionstate.Env, o *sessionstate.LockedSession, since conversation.Mark) func(sessionstate.PathVersion) bool {
	var w transcript.SessionWork
	if t := o.Engine.Capture.Conversation; t != nil {
		w.Edited = worktree.SetOf(evidence.RepoPaths(s, t.EditsSince(since)))
		w.Reach = transcript.CallEffects{Top: s.Repo.Top, Files: t.TouchedSince(since)}
	}
	return func(f sessionstate.PathVersion) bool { return w.Edited[f.Path] || w.Reach.Wrote(f.Path) }
}

// Pending returns the paths of a session's work that is in no commit yet.
func (b Brought) Pending() []string {
	if b.State == nil {
		return nil
	}
	return sessionstate.DecodePaths(b.State.FilesTouched)
}
