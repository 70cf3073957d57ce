package hookcmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/durable"
)

// placeTranscript completes an event that does not name its transcript, if the session's ID says where
// it is and the agent has made the folder.
func placeTranscript(home, dir string, ev *agent.Event) {
	if ev.TranscriptPath != "" || home == "" {
		return
	}
	ag, known := agents.ByType(ev.AgentType)
	if !known || !ag.Profile().PathByID {
		return
	}
	path := ag.TranscriptPath(home, dir, ev.SessionID)
	if info, err := os.Stat(filepath.Dir(path)); err == nil && info.IsDir() {
		ev.TranscriptPath = path
	}
}

// An agent that writes its transcript late gets settleLimit to write the record of an event; the hook
// looks for it in the last settleBytes, every settlePause.
const (
	settleLimit = 500 * time.Millisecond
	settlePause = 10 * time.Millisecond
	settleBytes = 256 << 10
)

// awaitTranscript waits until the agent has written the record of this event, for a limited time.
func awaitTranscript(ctx context.Context, ev agent.Event) {
	if ev.Settled == "" || ev.TranscriptPath == "" {
		return
	}
	limited, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	for !bytes.Contains(tailOf(ev.TranscriptPath, settleBytes), []byte(ev.Settled)) {
		select {
		case <-limited.Done():
			return
		case <-time.After(settlePause):
		}
	}
}

// tailOf returns the last bytes of a file, at most n; none if it cannot be read.
func tailOf(path string, n int64) []byte {
	f, err := durable.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	tail := make([]byte, min(n, info.Size()))
	got, _ := f.ReadAt(tail, info.Size()-int64(len(tail)))
	return tail[:got]
}
