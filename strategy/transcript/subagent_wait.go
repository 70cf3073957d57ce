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
	// subagentDelay is how long AwaitSubagent waits: agents write their transcripts in batches.
	subagentDelay = 400 * time.Millisecond
	subagentPause = 10 * time.Millisecond
	// subagentTail is how much of the end of a transcript AwaitSubagent reads, in bytes.
	subagentTail = 256 << 10
)

// AwaitSubagent waits until the transcript of a subagent that has ended holds its last text, so that
// its calls are known when its files are saved. It returns at once for an event without that
// text, and soon in any case.
func AwaitSubagent(ctx context.Context, o *sessionstate.LockedSession, agentID, answer string) {
	answer = strings.TrimSpace(answer)
	if answer == "" || agentID == "" || o.State.TranscriptPath == "" {
		return
	}
	paths := agents.For(o.State.AgentType).SubagentTranscripts(o.State.TranscriptPath, o.ID, agentID)
	for range subagentDelay / subagentPause {
		if slices.ContainsFunc(paths, func(path string) bool { return endsWith(o.State.AgentType, path, answer) }) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(subagentPause):
		}
	}
}

// endsWith reports whether the last text in a transcript is answer.
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
	tail := make([]byte, min(fi.Size(), subagentTail))
	if _, err := f.ReadAt(tail, fi.Size()-int64(len(tail))); err != nil {
		return false
	}
	for _, p := range slices.Backward(conversation.Passages(t, tail)) {
		if p.Kind == conversation.TextPassage {
			return p.Text == answer
		}
	}
	return false
}
