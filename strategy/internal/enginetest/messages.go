package enginetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"entire/agent"
	"entire/checkpoint"
	"entire/session"
	"entire/strategy/resume"
)

// Talked is the conversation that the checkpoints have of a session: what was said,
// one word a message, after "stored" or "made".
func (w *World) Talked(sid string) string {
	w.T.Helper()
	stored := resume.OpenStoredSessions(w.Engine())
	got, err := stored.Get(w.Ctx, sid)
	if errors.Is(err, session.ErrNotFound) {
		return "nothing"
	}
	if err != nil {
		w.T.Fatal(err)
	}
	how := "made"
	if got.Counted {
		how = "stored"
	}
	n := 0
	for m, err := range stored.Messages(w.Ctx, sid) {
		if err != nil {
			w.T.Fatalf("%s: %v", sid, err)
		}
		n++
		how += " " + m.Content
	}
	if got.Counted && got.MessageCount != n {
		w.T.Errorf("%s: %d messages counted, %d read", sid, got.MessageCount, n)
	}
	return how
}

// normalised is what the transcript that a slot holds says.
func (w *World) normalised(cp string, slot int, kind agent.AgentType) string {
	w.T.Helper()
	var text []string
	for _, m := range agent.Normalize(kind, []byte(w.Metadata(cp, fmt.Sprintf("%d/full.jsonl", slot))+"\n")) {
		line, err := json.Marshal(m)
		if err != nil {
			w.T.Fatal(err)
		}
		text = append(text, string(line))
	}
	return strings.Join(text, "\n")
}

// CheckMessages insists that a slot's messages are those of its transcript.
func (w *World) CheckMessages(cp string, slot int, kind agent.AgentType) {
	w.T.Helper()
	var text []string
	for line := range strings.Lines(w.Metadata(cp, fmt.Sprintf("messages-%d.jsonl", slot))) {
		var m agent.Message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			w.T.Fatal(err)
		}
		again, _ := json.Marshal(m)
		text = append(text, string(again))
	}
	if got, want := strings.Join(text, "\n"), w.normalised(cp, slot, kind); got != want || got == "" {
		w.T.Errorf("%s: messages\n%s\nof the transcript\n%s", cp, got, want)
	}
	var info checkpoint.MessagesInfo
	if err := json.Unmarshal([]byte(w.Metadata(cp, fmt.Sprintf("messages-%d.json", slot))), &info); err != nil {
		w.T.Fatal(err)
	}
	if info.Transcript != w.Metadata(cp, fmt.Sprintf("%d/content_hash.txt", slot)) || info.MessageCount != len(text) {
		w.T.Errorf("%s: %+v", cp, info)
	}
}
