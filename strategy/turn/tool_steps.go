package turn

import (
	"context"
	"errors"
	"strings"

	"entire/agent"
	"entire/agent/conversation"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/redact"
	"entire/session"
	"entire/strategy/evidence"
	"entire/strategy/link"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// SaveDuringTurn saves the turn's changes so far as an agent's step, for the reason that the event
// gives. There is no step if nothing has changed since the turn began or since the step before.
// The end of the turn writes its own step. It returns the step that holds the files as they are, the zero OID
// if HEAD does and there is none. Before a command that may lose work it saves the files also if no event has told
// that a turn began; whose changes those are is then unknown. At the end of a call that ran git commit, it first looks
// for the commit, which git's hooks may not have seen.
func SaveDuringTurn(ctx context.Context, s *sessionstate.Env, ev agent.Event) (git.OID, error) {
	if ev.Type == agent.ToolEnd && conversation.RunsCommit(ev.ShellCommand()) {
		s.EventCommand = ev.ShellCommand()
	}
	if ev.CheckpointReason == "" && s.EventCommand == "" {
		return git.OID{}, nil
	}
	if _, err := s.Store.Load(ctx, ev.SessionID); errors.Is(err, session.ErrNotFound) {
		return saveUntold(ctx, s, nil, ev.CheckpointReason) // no event told that the session began
	}
	o, err := s.OpenSession(ctx, ev.SessionID)
	if err != nil {
		return git.OID{}, err
	}
	defer o.Close()
	if o.State.Phase != session.PhaseActive || !o.Engine.TurnStart.Seen {
		return saveUntold(ctx, s, o, ev.CheckpointReason)
	}
	if ev.CheckpointReason == "" {
		head, err := evidence.HeadCommit(ctx, s)
		if err != nil {
			return git.OID{}, err
		}
		return git.OID{}, link.CheckUnhooked(ctx, s, o, head)
	}
	snap, err := EnterSession(ctx, s, o, ev)
	if err != nil {
		return git.OID{}, err
	}
	if err := catchUp(ctx, s, o, snap); err != nil {
		return git.OID{}, err
	}
	if err := saveStashed(ctx, s, o, snap); err != nil {
		return git.OID{}, err
	}
	turn := o.Engine.TurnStart
	if turn.Head == snap.Head && turn.Digest == worktree.Digest(snap.Files) {
		return turn.Step, nil
	}
	if bare, err := equalsHeadWithoutSteps(ctx, s, snap); err != nil || bare {
		return git.OID{}, err
	}
	o.StepReason = redact.Text(ev.CheckpointReason)
	if err := writeAgentStep(ctx, s, o, snap); err != nil {
		return git.OID{}, err
	}
	o.Engine.TurnStart.OwnStepDue = true
	return o.Engine.LastStep, s.SaveSession(ctx, o)
}

// saveUntold saves the files for a command that may lose work, of an agent in whose turn we know of no beginning:
// its hook was killed, or failed. o is nil if the session is unknown.
func saveUntold(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, why string) (git.OID, error) {
	if !strings.HasPrefix(why, shadow.WhyBeforeCommand) {
		return git.OID{}, nil
	}
	if o != nil && o.State.Phase == session.PhaseEnded {
		o = nil
	}
	_, w, err := writeByHand(ctx, s, o, redact.Text(why), shadow.StepMixed)
	if err == nil && o != nil {
		err = s.SaveSession(ctx, o)
	}
	return w.Commit, err
}

// IsOfAnother reports whether the session sid is in a turn, and a step is of no session or of another one.
func IsOfAnother(ctx context.Context, s *sessionstate.Env, sid id.SessionID, step git.OID) bool {
	if st, err := s.Store.Load(ctx, sid); err != nil || st.Phase != session.PhaseActive {
		return false
	}
	c, err := s.Repo.Reader(ctx).Commit(step)
	return err == nil && shadow.ParseStep(c.Message).Session != sid
}

// KeepConversation keeps the conversation that an event in the middle of a turn brings, so that a commit
// that the agent makes next finds its calls.
func KeepConversation(ctx context.Context, s *sessionstate.Env, ev agent.Event) error {
	if _, err := s.Store.Load(ctx, ev.SessionID); errors.Is(err, session.ErrNotFound) {
		return nil // no event told that the session began
	}
	return s.UpdateSession(ctx, ev.SessionID, func(o *sessionstate.LockedSession) error { return transcript.KeepLines(s, o, ev) })
}
