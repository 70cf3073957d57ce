package strategy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"

	"entire/agent"
	"entire/checkpoint"
	"entire/internal/durable"
)

// talkMoves reports whether a plan cuts a conversation: the transcript of the session or of a
// subagent is longer than it was at the step.
func (s *ManualCommitStrategy) talkMoves(ctx context.Context, plan *RewindPlan) (bool, error) {
	if plan.Scope.SkipTalk || plan.sid.IsZero() {
		return false, nil
	}
	o := &open{id: plan.sid}
	if err := s.readSession(ctx, o); err != nil || o.isNew {
		return false, err
	}
	st := plan.step
	if !plan.state.IsZero() {
		c, err := s.repo.Reader(ctx).Commit(plan.state)
		if err != nil {
			return false, err
		}
		st = step{c, checkpoint.ParseStep(c.Message)}
	}
	pos := st.info.Transcript
	if theirs(st.info) {
		var err error
		if pos, err = s.theirPosition(ctx, o, st); err != nil {
			return false, err
		}
	}
	if o.state.TranscriptPath != "" && !endsAt(o.state.TranscriptPath, pos) {
		return true, nil
	}
	for _, sub := range st.info.Subagents {
		files := agent.For(o.state.AgentType).SubagentTranscripts(o.state.TranscriptPath, o.id, sub.Agent)
		if i := slices.IndexFunc(files, exists); i >= 0 && !endsAt(files[i], sub.TranscriptPosition) {
			return true, nil
		}
	}
	return false, nil
}

// endsAt reports whether a transcript is exactly what a step saw of it. It is true for a
// position without a digest.
func endsAt(path string, pos checkpoint.TranscriptPosition) bool {
	if pos.Prefix == "" {
		return true
	}
	f, err := durable.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	if startsDocument(f) {
		text, err := readDocument(f)
		return err == nil && int64(len(text)) == pos.Offset && documentDigest(text)[:len(pos.Prefix)] == pos.Prefix
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, pos.Offset+1))
	return err == nil && n == pos.Offset && hex.EncodeToString(h.Sum(nil))[:len(pos.Prefix)] == pos.Prefix
}
