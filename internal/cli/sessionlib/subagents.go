package sessionlib

import (
	"context"
	"errors"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/cli/workplace"
)

// SaidBySubagents returns the messages of a session's subagents whose transcripts its checkpoints have beside that of
// the session. A message that several checkpoints have comes several times.
func (l *Library) SaidBySubagents(ctx context.Context, s ListedSession) ([]agent.Message, error) {
	if l.Wp == nil || agents.For(s.Agent).Profile().SubagentsInside {
		return nil, nil
	}
	var said []agent.Message
	reader := records.NewReader(l.Wp.Repo)
	for _, c := range s.Checkpoints {
		cp, err := id.NewCheckpointID(c.ID)
		if err != nil {
			continue
		}
		transcripts, err := reader.SubagentTranscripts(ctx, cp, s.ID, workplace.SubagentMax)
		if errors.Is(err, metadata.ErrCheckpointNotFound) || errors.Is(err, metadata.ErrSessionNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, t := range transcripts {
			for _, m := range conversation.Normalize(s.Agent, t) {
				m.Sidechain = true
				said = append(said, m)
			}
		}
	}
	return said, nil
}
