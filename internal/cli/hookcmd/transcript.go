package hookcmd

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/session"
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
	if ev.TranscriptPath == "" || ev.Settled == "" && agents.UsageKeeper(ev.AgentType) == nil {
		return
	}
	limited, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	for !bytes.Contains(tailOf(ev.TranscriptPath, settleBytes), []byte(ev.Settled)) || usageIsLate(ev) {
		select {
		case <-limited.Done():
			return
		case <-time.After(settlePause):
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

// maxFirstLine bounds the first line of a transcript.
const maxFirstLine = 64 << 10

// reportToParent turns an event of a subagent that calls hooks as a session of its own into one of the
// session that it works for. The event's type is "" if that session has no use for it.
func reportToParent(ev *agent.Event) {
	ag, known := agents.ByType(ev.AgentType)
	namer, names := ag.(agent.ParentNamer)
	if !known || !names || ev.TranscriptPath == "" {
		return
	}
	f, err := durable.Open(ev.TranscriptPath)
	if err != nil {
		return
	}
	defer f.Close()
	line, err := bufio.NewReaderSize(f, maxFirstLine).ReadSlice('\n')
	if err != nil {
		return
	}
	if parent, call, ok := namer.ParentOf(line); ok && parent != ev.SessionID {
		ev.TurnIntoTaskOf(parent, call, filepath.Join(filepath.Dir(ev.TranscriptPath), ag.FileName(parent, nil)))
	}
}

// turnIsOpen reports whether a session is in a turn, by its state alone: hooks of calls ask it often.
func turnIsOpen(ctx context.Context, dir string, sid id.SessionID) bool {
	common := workplace.FindPlace(dir).Common()
	if common == "" {
		return false
	}
	st, err := session.NewStateStore(common).Load(ctx, sid)
	return err == nil && st.Phase == session.PhaseActive
}
