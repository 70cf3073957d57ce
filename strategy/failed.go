package strategy

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/durable"
)

// failedEvent is an event of a session's in this worktree that could not be carried out,
// and nothing of the kind has been since.
type failedEvent struct {
	Event agent.EventType `json:"event"`
	At    time.Time       `json:"at"`
	Why   string          `json:"why"`
}

// maxFailed bounds what is read of a note.
const maxFailed = 64 << 10

// failedShown is how long status tells of a failed event of a session that never had
// another.
const failedShown = 7 * 24 * time.Hour

func (s *ManualCommitStrategy) failedDir() string { return filepath.Join(s.localDir(), "failed") }

// saves reports the events that save a turn's work.
func saves(kind agent.EventType) bool {
	return kind == agent.TurnStart || kind == agent.TurnEnd || kind == agent.SessionEnd
}

// noteOutcome remembers an event that failed, until one that saves has not. The session's
// own state may be what could not be written, so the note lies elsewhere.
func (s *ManualCommitStrategy) noteOutcome(ev agent.Event, failed error) {
	path := filepath.Join(s.failedDir(), ev.SessionID.String()+".json")
	if failed == nil {
		if saves(ev.Type) {
			_ = os.Remove(path)
		}
		return
	}
	data, err := json.Marshal(failedEvent{ev.Type, s.Now(), failed.Error()})
	if err == nil {
		err = durable.WriteCache(path, data, 0o600)
	}
	if err != nil {
		s.Log.Warn("not noted for status", "session_id", ev.SessionID.String(), "err", err)
	}
}

// failedProblems are the events that status tells of.
func (s *ManualCommitStrategy) failedProblems() []Problem {
	entries, err := os.ReadDir(s.failedDir())
	if err != nil {
		return nil
	}
	var out []Problem
	for _, e := range entries {
		sid, err := id.ParseSessionID(strings.TrimSuffix(e.Name(), ".json"))
		if err != nil {
			continue
		}
		data, err := durable.ReadPlain(filepath.Join(s.failedDir(), e.Name()), maxFailed)
		var f failedEvent
		if err != nil || json.Unmarshal(data, &f) != nil || s.Now().Sub(f.At) > failedShown {
			continue
		}
		out = append(out, Problem{Kind: "not-captured", Subject: sid.Short(), Why: fmt.Sprintf("its %s failed: %s", f.Event, f.Why),
			Hint: "the session's next event tries again"})
	}
	return out
}
