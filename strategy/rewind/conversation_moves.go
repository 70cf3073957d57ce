package rewind

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"

	"entire/agent/agents"
	"entire/agent/document"
	"entire/checkpoint/shadow"
	"entire/internal/durable"
	"entire/session"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

// warnOfActiveSessions adds a warning for each session of this worktree with an open turn.
func warnOfActiveSessions(ctx context.Context, s *sessionstate.Env, plan *Plan) error {
	sums, err := s.Store.Summaries(ctx)
	if err != nil {
		return err
	}
	for _, sum := range sums {
		if sum.Phase != session.PhaseActive || !s.InThisWorktree(sum.WorktreePath, sum.WorktreeID) {
			continue
		}
		plan.Warnings = append(plan.Warnings, transcript.ActiveSessionWarning(sum.ID, sum.ID == plan.session && !plan.Scope.SkipConversation))
	}
	return nil
}

// movesConversation reports whether a plan cuts a conversation: the transcript of the session or of a
// subagent is longer than it was at the step.
func movesConversation(ctx context.Context, s *sessionstate.Env, plan *Plan) (bool, error) {
	if plan.Scope.SkipConversation || plan.session.IsZero() {
		return false, nil
	}
	o := &sessionstate.LockedSession{ID: plan.session}
	if err := s.ReadSession(ctx, o); err != nil || o.IsNew {
		return false, err
	}
	st := plan.step
	if !plan.state.IsZero() {
		c, err := s.Repo.Reader(ctx).Commit(plan.state)
		if err != nil {
			return false, err
		}
		st = step.Step{Commit: c, Info: shadow.ParseStep(c.Message)}
	}
	pos := st.Info.Transcript
	if isForeignStep(st.Info) {
		var err error
		if pos, err = foreignPosition(ctx, s, o, st); err != nil {
			return false, err
		}
	}
	if o.State.TranscriptPath != "" && !endsAtPosition(o.State.TranscriptPath, pos) {
		return true, nil
	}
	for _, sub := range st.Info.Subagents {
		files := agents.For(o.State.AgentType).SubagentTranscripts(o.State.TranscriptPath, o.ID, sub.Agent)
		if i := slices.IndexFunc(files, sessionstate.PathExists); i >= 0 && !endsAtPosition(files[i], sub.TranscriptPosition) {
			return true, nil
		}
	}
	return false, nil
}

// endsAtPosition reports whether a transcript is exactly what a step saw of it. It is true for a
// position without a digest.
func endsAtPosition(path string, pos shadow.TranscriptPosition) bool {
	if pos.Prefix == "" {
		return true
	}
	f, err := durable.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	if document.Begins(f) {
		text, err := transcript.ReadDocument(f)
		return err == nil && int64(len(text)) == pos.Offset && transcript.DocumentDigest(text)[:len(pos.Prefix)] == pos.Prefix
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, pos.Offset+1))
	return err == nil && n == pos.Offset && hex.EncodeToString(h.Sum(nil))[:len(pos.Prefix)] == pos.Prefix
}
