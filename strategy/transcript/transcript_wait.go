package transcript

import (
	"context"
	"slices"
	"strings"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/internal/durable"
	"entire/strategy/sessionstate"
)

const (
	// transcriptDelay is how long to wait for a transcript: agents write them in batches.
	transcriptDelay = 400 * time.Millisecond
	transcriptPause = 10 * time.Millisecond
	// transcriptTail is how much of the end of a transcript is read meanwhile, in bytes.
	transcriptTail = 256 << 10
)

// AwaitSubagent waits until the transcript of a subagent that has ended holds its last text, so that
// its calls are known when its files are saved. It returns at once for an event without that
// text, and soon in any case.
func AwaitSubagent(ctx context.Context, o *sessionstate.LockedSession, agentID, answer string) {
	if answer == "" || agentID == "" || o.State.TranscriptPath == "" {
		return
	}
	awaitText(ctx, o.State.AgentType, agents.For(o.State.AgentType).SubagentTranscripts(o.State.TranscriptPath, o.ID, agentID), answer)
}

// AwaitAnswer waits, like AwaitSubagent, for the last answer of a turn that has ended. Not every agent
// has another event after it in which the rest of the transcript could be read.
func AwaitAnswer(ctx context.Context, ev agent.Event) {
	if ev.Answer != "" && ev.TranscriptPath != "" {
		awaitText(ctx, ev.AgentType, []string{ev.TranscriptPath}, ev.Answer)
	}
}

// awaitText waits until one of the transcripts ends with the text.
func awaitText(ctx context.Context, t agent.AgentType, paths []string, text string) {
	text = strings.TrimSpace(text)
	for range transcriptDelay / transcriptPause {
		if slices.ContainsFunc(paths, func(path string) bool { return endsWith(t, path, text) }) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(transcriptPause):
		}
	}
}

// endsWith reports whether the last text in a transcript is the end of answer.
func endsWith(t agent.AgentType, path, answer string) bool {
	f, err := durable.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || fi.Size() == 0 {
		return false
	}
	tail := make([]byte, min(fi.Size(), transcriptTail))
	if _, err := f.ReadAt(tail, fi.Size()-int64(len(tail))); err != nil {
		return false
	}
	for _, p := range slices.Backward(conversation.Passages(t, tail)) {
		if p.Kind == conversation.TextPassage {
			return strings.HasSuffix(answer, p.Text) // the answer may have several parts
		}
	}
	return false
}
