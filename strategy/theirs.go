package strategy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"entire/agent"
	"entire/checkpoint"
)

// theirs reports whether another tool made the step: it names no base.
func theirs(info checkpoint.StepInfo) bool {
	return info.Kind == checkpoint.StepAgent && info.Base.IsZero() && info.Transcript.Prefix == ""
}

// theirPosition returns where the conversation ended at another tool's step, which holds the
// agent's whole file unchanged. It is zero if the step holds no transcript, or a document, which
// does not grow at its end.
func (s *ManualCommitStrategy) theirPosition(ctx context.Context, o *open, st step) (checkpoint.TranscriptPosition, error) {
	var none checkpoint.TranscriptPosition
	rd := s.repo.Reader(ctx)
	e, found, err := rd.Path(st.Tree, checkpoint.SessionDir(o.id)+"/"+checkpoint.TranscriptName)
	if err != nil || !found {
		return none, err
	}
	data, err := rd.Blob(e.OID)
	if err != nil || len(data) == 0 || agent.IsDocument(data) {
		return none, err
	}
	sum := sha256.Sum256(data)
	return checkpoint.TranscriptPosition{Offset: int64(len(data)), Prefix: hex.EncodeToString(sum[:8])}, nil
}

// cutToTheirs cuts the agent's own file to where it ended at another tool's step. It does not
// use the step's copy, which is not redacted; the next event reads the file again.
func (s *ManualCommitStrategy) cutToTheirs(ctx context.Context, o *open, st step) []string {
	pos, err := s.theirPosition(ctx, o, st)
	if err != nil {
		s.Log.Warn("conversation not taken back", "session_id", o.id.String(), "err", err)
		return []string{"the conversation was not taken back: " + err.Error()}
	}
	warnings := s.cutTranscript(ctx, o, pos)
	o.side.Capture.Edges = ""
	return warnings
}
