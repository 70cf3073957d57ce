package transcript

import (
	"bytes"
	"context"
	"os"
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
	transcriptDelay = 500 * time.Millisecond
	transcriptPause = 10 * time.Millisecond
	// transcriptTail is how much of the end of a transcript is read meanwhile, in bytes.
	transcriptTail = 256 << 10
)

// Await waits until the agent has written what belongs to an event: the event's record, the answer that
// ends a turn, and the tokens beside the transcript. It returns at once for an event that names no
// transcript, and soon in any case. Not every agent has a later event in which the rest could be read.
func Await(ctx context.Context, ev agent.Event) {
	if ev.TranscriptPath == "" {
		return
	}
	answer := ""
	if ev.Type == agent.TurnEnd {
		answer = strings.TrimSpace(ev.Answer)
	}
	await(ctx, func() bool {
		if ev.Settled != "" && !bytes.Contains(tailOf(ev.TranscriptPath), []byte(ev.Settled)) || usageIsLate(ev) {
			return false
		}
		return answer == "" || endsWith(ev.AgentType, ev.TranscriptPath, answer)
	})
}

// AwaitSubagent waits, like Await, until the transcript of a subagent that has ended holds its last text,
// so that its calls are known when its files are saved. It returns at once for an event without that text.
func AwaitSubagent(ctx context.Context, o *sessionstate.LockedSession, agentID, answer string) {
	if answer = strings.TrimSpace(answer); answer == "" || agentID == "" || o.State.TranscriptPath == "" {
		return
	}
	paths := agents.For(o.State.AgentType).SubagentTranscripts(o.State.TranscriptPath, o.ID, agentID)
	await(ctx, func() bool {
		return slices.ContainsFunc(paths, func(path string) bool { return endsWith(o.State.AgentType, path, answer) })
	})
}

// await waits until there reports true, for at most transcriptDelay.
func await(ctx context.Context, there func() bool) {
	limited, cancel := context.WithTimeout(ctx, transcriptDelay)
	defer cancel()
	for !there() {
		if durable.Pause(limited, transcriptPause) != nil {
			return
		}
	}
}

// usageIsLate reports whether the file with the session's tokens is older than the end of the turn.
func usageIsLate(ev agent.Event) bool {
	keeper := agents.UsageKeeper(ev.AgentType)
	if keeper == nil || ev.Type != agent.TurnEnd && ev.Type != agent.TaskEnd {
		return false
	}
	told, err := os.Stat(ev.TranscriptPath)
	if err != nil {
		return false
	}
	counted, err := os.Stat(keeper.UsageFile(ev.TranscriptPath))
	return err == nil && counted.ModTime().Before(told.ModTime())
}

// tailOf returns the last bytes of a transcript; none if it cannot be read.
func tailOf(path string) []byte {
	f, err := durable.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	tail := make([]byte, min(info.Size(), transcriptTail))
	n, _ := f.ReadAt(tail, info.Size()-int64(len(tail)))
	return tail[:n]
}

// endsWith reports whether the last text in a transcript is the end of answer.
func endsWith(t agent.AgentType, path, answer string) bool {
	for _, p := range slices.Backward(conversation.Passages(t, tailOf(path))) {
		if p.Kind == conversation.TextPassage {
			return strings.HasSuffix(answer, p.Text) // the answer may have several parts
		}
	}
	return false
}
