package rewind

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"entire/agent/document"
	"entire/checkpoint/chunk"
	"entire/checkpoint/shadow"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

// isForeignStep reports whether another tool made the step: it names no base.
func isForeignStep(info shadow.StepInfo) bool {
	return info.Kind == shadow.StepAgent && info.Base.IsZero() && info.Transcript.Prefix == ""
}

// foreignPosition returns where the conversation ended at another tool's step, which holds the
// agent's whole file unchanged. It is zero if the step holds no transcript, or a document, which
// does not grow at its end.
func foreignPosition(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, st step.Step) (shadow.TranscriptPosition, error) {
	var none shadow.TranscriptPosition
	rd := s.Repo.Reader(ctx)
	e, found, err := rd.Path(st.Tree, shadow.SessionDir(o.ID)+"/"+chunk.TranscriptName)
	if err != nil || !found {
		return none, err
	}
	data, err := rd.Blob(e.OID)
	if err != nil || len(data) == 0 || document.Is(data) {
		return none, err
	}
	sum := sha256.Sum256(data)
	return shadow.TranscriptPosition{Offset: int64(len(data)), Prefix: hex.EncodeToString(sum[:8])}, nil
}

// cutToForeignStep cuts the agent's own file to where it ended at another tool's step. It does not
// use the step's copy, which is not redacted; the next event reads the file again.
func cutToForeignStep(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, st step.Step) []string {
	pos, err := foreignPosition(ctx, s, o, st)
	if err != nil {
		s.Log.Warn("conversation not taken back", "session_id", o.ID.String(), "err", err)
		return []string{"the conversation was not taken back: " + err.Error()}
	}
	warnings := transcript.CutTranscript(ctx, s, o, pos)
	o.Engine.Capture.EdgeDigest = ""
	return warnings
}
