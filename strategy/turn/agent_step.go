package turn

import (
	"context"
	"errors"
	"slices"

	"entire/checkpoint/shadow"
	"entire/checkpoint/trailer"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/ownership"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// TryReadTranscript is ReadTranscript for a step: a transcript that cannot be read does not stop
// the step. The state then lists the transcript as not captured, and `entire status` shows it.
func TryReadTranscript(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) error {
	err := condense.ReadTranscript(ctx, s, o)
	if !errors.Is(err, transcript.ErrTranscript) {
		return err
	}
	if o.Engine.TranscriptLate {
		return nil
	}
	s.Log.Warn("step without the end of its transcript", "session_id", o.ID.String(), "err", err)
	o.Engine.NotCaptured = append(o.Engine.NotCaptured, sessionstate.KeptFile{Path: o.State.TranscriptPath, Why: err.Error()})
	return nil
}

// writeAgentStep writes a step with the files as the agent left them, and updates the session's state.
func writeAgentStep(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot) error {
	if err := TryReadTranscript(ctx, s, o); err != nil {
		return err
	}
	prompts := s.TurnPrompts(o)
	subject := trailer.StepSubject(sessionstate.LastString(prompts), o.State.AgentType)
	if o.StepReason != "" {
		subject = trailer.StepSubject(o.StepReason+": "+sessionstate.LastString(prompts), o.State.AgentType)
	}
	overlay, err := step.SessionOverlay(s, o, prompts, subject)
	if err != nil {
		return err
	}
	return writeSessionStep(ctx, s, o, snap, shadow.Step{Kind: shadow.StepAgent, Subject: subject, StepContext: o.StepContext(o.TurnReason())}, overlay)
}

// writeSessionStep writes a step of the session's work since the turn began, with its transcript as it was read, and
// notes in the session's state what the step changed.
func writeSessionStep(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot, st shadow.Step, overlay []git.Edit) error {
	before, err := condense.TurnStartTree(ctx, s, o.Engine.TurnStart, snap.Head)
	if err != nil {
		return err
	}
	also, err := transcript.RemoveBacklog(ctx, s, o)
	if err != nil {
		return err
	}
	st.Session, st.Transcript, st.Since = o.ID, transcript.Position(&o.Engine.Capture), o.Engine.TurnStart.StartCommit()
	w, err := step.WriteStep(ctx, s, step.NewStep{Step: st, Author: s.AuthorOf(ctx, o), Snap: snap, Overlay: overlay, ExtraRefs: also})
	if err != nil {
		return err
	}
	o.Engine.HasBacklog = o.Engine.HasBacklog && w.Skipped // the tip holds its chunks, but its ref is still there
	changed, err := step.CodeDiff(ctx, s, before, w.Tree)
	if err != nil {
		return err
	}
	noteStep(ctx, s, o, snap, w, changed)
	return nil
}

// changedInTurn drops the changes whose files were the same when the turn began, on another commit.
func changedInTurn(ctx context.Context, s *sessionstate.Env, m sessionstate.TurnStart, changed []git.Change) []git.Change {
	if m.OriginalStart.IsZero() {
		return changed
	}
	ev := evidence.Evidence(ctx, s)
	tree := ev.TreeOf(m.OriginalStart)
	return slices.DeleteFunc(changed, func(c git.Change) bool {
		was, ok := ev.VersionAt(tree, c.Path)
		return ok && was.Mode == c.NewMode && was.OID == c.New
	})
}

// noteStep updates the session's state after a step was written to the shadow branch.
func noteStep(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot, w step.WrittenStep, changed []git.Change) {
	o.Engine.LastStep = w.Commit
	subagents := transcript.ReadSubagentUsage(s, o) // before the claims: subagents wrote files, too
	claimed := condense.ClaimedPaths(ctx, s, o, snap, w, changedInTurn(ctx, s, o.Engine.TurnStart, changed))
	condense.RememberBefore(s, o, changed, claimed)
	o.State.TouchFiles(sessionstate.EncodePaths(claimed)...)
	evidence.DropReverted(ctx, s, o, snap)
	if err := ownership.NoteUncapturedLines(ctx, s, o, snap.Head); err != nil {
		s.Log.Warn("calls whose work is nowhere were not looked at", "session_id", o.ID.String(), "err", err)
	}
	o.Engine.Claim = sessionstate.FileClaim{Turn: o.State.TurnID, Base: o.State.BaseCommit, Files: sessionstate.EncodePaths(claimed)}
	if !w.Skipped {
		o.State.CheckpointCount++
	}
	t := o.Engine.Capture.Conversation
	if t != nil {
		usage := transcript.AddSubagentUsage(t.Usage(), subagents)
		o.State.TokenUsage = &usage
		if o.State.CheckpointCount == 1 {
			o.State.TranscriptIdentifierAtStart = t.LastUUID
		}
	}
	began := o.Engine.TurnStart
	o.Engine.TurnStart = sessionstate.TurnStart{
		Head: snap.Head, Step: w.Commit, Digest: worktree.Digest(snap.Files), Seen: true,
		ConversationMark: began.ConversationMark, TranscriptSize: began.TranscriptSize, TranscriptLines: began.TranscriptLines,
		OwnStepMade: began.OwnStepMade, EndReported: began.EndReported,
	}
	if w.Skipped {
		s.Log.Debug("checkpoint skipped (no changes)", "session_id", o.ID.String(), "step", w.Commit.Short())
		return
	}
	s.Log.Info("checkpoint saved", "session_id", o.ID.String(), "step", w.Commit.Short(), "files", len(claimed))
}
