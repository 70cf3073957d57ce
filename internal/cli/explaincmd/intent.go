package explaincmd

import (
	"context"

	"entire/agent/conversation"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/cli/workplace"
	"entire/internal/review"
)

// asked returns the prompt behind the shown work. If the transcript does not show it, asked
// returns a prompt of the checkpoint's part, or one of the stored prompts.
func (s sessionView) asked() string {
	switch {
	case s.intent != "":
		return s.intent
	case len(s.Scoped) > 0:
		return s.Scoped[0]
	case len(s.Prompts) > 0 && s.Start > 0:
		return s.Prompts[len(s.Prompts)-1]
	case len(s.Prompts) > 0:
		return s.Prompts[0]
	}
	return ""
}

// intentOf returns the prompt whose work is in a checkpoint's commit. It ignores what cannot be
// read: the checkpoint's own view reports damage.
func intentOf(ctx context.Context, reader *records.Reader, cp id.CheckpointID, c *records.SessionContent) string {
	m := c.Metadata
	part := review.Part{Start: m.GetTranscriptStart(), Files: m.FilesTouched}
	if docs, err := reader.Attributions(ctx, []id.CheckpointID{cp}); err == nil {
		if rec, err := attribution.DecodeRecord(docs[cp]); err == nil {
			part.Calls = callsIn(rec, m.SessionID)
		}
	}
	var subagents [][]conversation.Passage
	stored, _ := reader.SubagentTranscripts(ctx, cp, m.SessionID, workplace.SubagentMax)
	for _, s := range stored {
		subagents = append(subagents, conversation.Passages(m.Agent, s))
	}
	return part.Intent(conversation.Passages(m.Agent, c.Transcript), subagents...)
}

// callsIn returns the session's tool calls that wrote lines of a record.
func callsIn(rec *attribution.Record, sid string) []string {
	wrote := map[int]bool{}
	for _, f := range rec.Files {
		for _, r := range f.Ranges {
			wrote[r.Owner] = true
		}
	}
	var calls []string
	for i, o := range rec.Owners {
		if wrote[i] && o.SessionID == sid && o.ToolUseID != "" {
			calls = append(calls, o.ToolUseID)
		}
	}
	return calls
}
