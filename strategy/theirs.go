package strategy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"entire/agent"
	"entire/checkpoint"
)

// theirs reports a step that another tool made of a session: it names no base.
func theirs(info checkpoint.StepInfo) bool {
	return info.Kind == checkpoint.StepAgent && info.Base.IsZero() && info.Transcript.Prefix == ""
}

// theirPosition is where the conversation ended for another tool's step, which
// holds the agent's own file whole and as it was. Zero where it holds none, or a
// document, which does not grow at its end.
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

// cutToTheirs takes the agent's own file back to where another tool's step saw it
// end. What is stored is not taken from that step, because it is not redacted
// there: the next event reads the file anew.
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
