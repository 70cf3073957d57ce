package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/checkpoint/metadata"
	"entire/session"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
)

// InHook gives the events from now on the time of a hook, of which within may be read.
func (w *World) InHook(within time.Duration) {
	ctx, cancel := context.WithTimeout(w.Ctx, 10*time.Minute)
	w.T.Cleanup(cancel)
	w.Ctx, w.Now = ctx, time.Now().Add(time.Minute) // when no file is too young to be trusted
	w.Tune = func(o *sessionstate.Options) { o.ReadWithin = within }
}

// Slowly makes git take its time for each file of a folder.
func (w *World) Slowly(folder string) {
	w.Write(".gitattributes", folder+"/* filter=slow\n")
	w.Git("config", "filter.slow.clean", "sleep 0.02; cat")
	w.Commit("slow files")
}

// StepOwners says of each file that a step on the shadow branch brought who saved it.
func (w *World) StepOwners() map[string]string {
	w.T.Helper()
	owners := map[string]string{}
	for _, ref := range w.Shadows() {
		kind := ""
		for _, line := range strings.Split(w.Git("log", "--reverse", "--root", "--name-only", "--no-renames", "--format=#%(trailers:key=Entire-Step,valueonly)", ref, "--", "many"), "\n") {
			if rest, ok := strings.CutPrefix(line, "#"); ok {
				kind = rest
			} else if line != "" && owners[line] == "" {
				owners[line] = kind
			}
		}
	}
	return owners
}

// WantRewindsTo makes sure that a point brings all files back.
func (w *World) WantRewindsTo(point string) {
	w.T.Helper()
	before := w.Snapshot(".entire")
	w.Remove("many")
	w.Rewind(point)
	after := w.Snapshot(".entire")
	for path, text := range before.Contents() {
		if got, ok := after.Contents()[path]; !ok || got != text {
			w.T.Errorf("%s is %q after the rewind, want %q", path, got, text)
		}
	}
}

// StoredAnywhere returns what is stored of a session's conversation, wherever.
func (w *World) StoredAnywhere(sid string) string {
	var out strings.Builder
	for _, tree := range append(w.Shadows(), "refs/entire/backlog/"+sid) {
		files, err := w.TryGit("ls-tree", "-r", "--name-only", tree)
		if err != nil {
			continue
		}
		for _, name := range strings.Fields(files) {
			if strings.Contains(name, "full.jsonl") {
				out.WriteString(w.Git("show", tree+":"+name))
			}
		}
	}
	return out.String()
}

// StoredConversation returns the conversation that the checkpoints have of a session: what was said,
// one word a message, after "stored" or "made".
func (w *World) StoredConversation(sid string) string {
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
	for _, m := range conversation.Normalize(kind, []byte(w.Metadata(cp, fmt.Sprintf("%d/full.jsonl", slot))+"\n")) {
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
	var info metadata.MessagesInfo
	if err := json.Unmarshal([]byte(w.Metadata(cp, fmt.Sprintf("messages-%d.json", slot))), &info); err != nil {
		w.T.Fatal(err)
	}
	if info.Transcript != w.Metadata(cp, fmt.Sprintf("%d/content_hash.txt", slot)) || info.MessageCount != len(text) {
		w.T.Errorf("%s: %+v", cp, info)
	}
}
