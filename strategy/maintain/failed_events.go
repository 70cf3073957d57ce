package maintain

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
	"entire/strategy/sessionstate"
	"entire/strategy/turn"
)

// failedEvent is an event of a session in this worktree that failed, without a later success.
type failedEvent struct {
	Event agent.EventType `json:"event"`
	At    time.Time       `json:"at"`
	Why   string          `json:"why"`
}

// maxFailed bounds how much of a note is read.
const maxFailed = 64 << 10

// failedShown is how long status reports a failed event of a session that has no later event.
const failedShown = 7 * 24 * time.Hour

func failedDir(s *sessionstate.Env) string { return filepath.Join(s.LocalDir(), "failed") }

// savesTurn reports whether an event saves a turn's work.
func savesTurn(kind agent.EventType) bool {
	return kind == agent.TurnStart || kind == agent.TurnEnd || kind == agent.SessionEnd
}

// NoteOutcome remembers a failed event until an event that saves succeeds. The note is not part
// of the session's state, because that may be what could not be written.
func NoteOutcome(s *sessionstate.Env, ev agent.Event, failed error) {
	path := filepath.Join(failedDir(s), ev.SessionID.String()+".json")
	if failed == nil {
		if savesTurn(ev.Type) {
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

// failedProblems returns the failed events that status reports.
func failedProblems(s *sessionstate.Env) []turn.Problem {
	entries, err := os.ReadDir(failedDir(s))
	if err != nil {
		return nil
	}
	var out []turn.Problem
	for _, e := range entries {
		sid, err := id.ParseSessionID(strings.TrimSuffix(e.Name(), ".json"))
		if err != nil {
			continue
		}
		data, err := durable.ReadPlain(filepath.Join(failedDir(s), e.Name()), maxFailed)
		var f failedEvent
		if err != nil || json.Unmarshal(data, &f) != nil || s.Now().Sub(f.At) > failedShown {
			continue
		}
		hint := "the session's next event tries again"
		if strings.Contains(f.Why, ".lock': File exists") { // git's words
			hint += "; if it fails again: entire doctor"
		}
		out = append(out, turn.Problem{Kind: "not-captured", Subject: sid.Short(), Why: fmt.Sprintf("its %s failed: %s", f.Event, f.Why), Hint: hint})
	}
	return out
}

// setAsideProblems returns a problem for each damaged file of a session that was set aside in the last week. A hook of
// git's, which has no way to say so, may have done that.
func setAsideProblems(s *sessionstate.Env) []turn.Problem {
	dir := filepath.Join(s.Repo.CommonDir, "entire", "unreadable")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []turn.Problem
	for _, e := range entries {
		if info, err := e.Info(); err == nil && s.Now().Sub(info.ModTime()) <= failedShown {
			out = append(out, turn.Problem{Kind: "set-aside", Subject: e.Name(), Why: "it was damaged; its bytes were set aside",
				Hint: "they are in " + displayPath(s, filepath.Join(dir, e.Name())) + "; remove them there if you do not need them"})
		}
	}
	return out
}
