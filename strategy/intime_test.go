package strategy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/internal/redact"
)

// inHook gives the events from now on the time of a hook, of which within may be read.
func (w *world) inHook(within time.Duration) {
	ctx, cancel := context.WithTimeout(w.ctx, 10*time.Minute)
	w.t.Cleanup(cancel)
	w.ctx, w.now = ctx, time.Now().Add(time.Minute) // when no file is too young to be trusted
	w.tune = func(o *Options) { o.ReadWithin = within }
}

// slowly makes git take its time for each file of a folder.
func (w *world) slowly(folder string) {
	w.Write(".gitattributes", folder+"/* filter=slow\n")
	w.Git("config", "filter.slow.clean", "sleep 0.02; cat")
	w.Commit("slow files")
}

// stepOwners says of each file that a step on the shadow branch brought who saved it.
func (w *world) stepOwners() map[string]string {
	w.t.Helper()
	owners := map[string]string{}
	for _, ref := range w.shadows() {
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

// Files that a hook has no time for are saved by the next events, as the work of whoever
// made them, and until then status says so.
func TestFilesWithoutTimeAreSavedByTheNextEvents(t *testing.T) {
	t.Parallel()
	const each = 25
	w := newWorld(t, sourceFiles())
	w.slowly("many")
	w.inHook(250 * time.Millisecond)
	writeMany := func(whose string) {
		for n := range each {
			w.Write(fmt.Sprintf("many/%s%02d.txt", whose, n), fmt.Sprintln(whose, n))
		}
	}
	writeMany("person")
	w.prompt("s1", "write many files")
	writeMany("agent")
	w.Write("a.txt", "the agent's\n")
	w.stop("s1")
	if got := w.problems(); !strings.Contains(got, "a hook had no time to read them") {
		t.Fatalf("status says %q", got)
	}
	w.Write("many/later.txt", "a person's, since\n")
	rounds := 0
	for ; strings.Contains(w.problems(), "no time"); rounds++ {
		if rounds > 2*each {
			t.Fatal("it never ends")
		}
		w.prompt("s1", fmt.Sprint("go on ", rounds))
		w.event(agent.SessionEnd, "s1", nil)
	}
	t.Logf("%d rounds", rounds)
	owners := w.stepOwners()
	for n := range each {
		for whose, want := range map[string]string{"person": "human", "agent": ""} {
			path := fmt.Sprintf("many/%s%02d.txt", whose, n)
			if got, saved := owners[path]; !saved || got != want {
				t.Errorf("%s is saved %v, by %q, want %q", path, saved, got, want)
			}
		}
	}
	if got := owners["many/later.txt"]; got != "human" {
		t.Errorf("many/later.txt is saved by %q", got)
	}
	w.wantRewindsTo(w.label("all").ID)
}

// wantRewindsTo makes sure that a point brings all files back.
func (w *world) wantRewindsTo(point string) {
	w.t.Helper()
	before := w.Snapshot(".entire")
	w.Remove("many")
	w.rewind(point)
	after := w.Snapshot(".entire")
	for path, text := range before.Contents() {
		if got, ok := after.Contents()[path]; !ok || got != text {
			w.t.Errorf("%s is %q after the rewind, want %q", path, got, text)
		}
	}
}

// A tracked file that there is no time for stays in the step as the step before had it.
func TestFileWithoutTimeStaysAsTheStepBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.turn("s1", "write", func() { w.Write("a.txt", "first\n") })
	w.slowly("none")
	w.Git("config", "filter.slow.clean", "sleep 3; cat")
	w.Write(".gitattributes", "a.txt filter=slow\n")
	w.inHook(50 * time.Millisecond)
	w.turn("s1", "write again", func() { w.Write("a.txt", "second\n"); w.Write("b.txt", "fast\n") })
	if got := w.Git("show", w.shadows()[0]+":a.txt"); got != "first" {
		t.Errorf("a.txt in the step is %q", got)
	}
}

// What takes longer to redact than a hook has is no reason to save no files.
func TestConversationWithoutTimeIsReadByTheNextEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	block := make(chan struct{})
	t.Cleanup(func() { close(block) })
	w.inHook(2 * time.Second)
	limit, slow := w.tune, true
	w.tune = func(o *Options) {
		limit(o)
		o.Redact = func(line []byte) []byte {
			if slow && bytes.Contains(line, []byte("hostile")) {
				<-block
			}
			return redact.Line(line)
		}
	}
	w.prompt("s1", "write it")
	w.say("s1", "assistant", "hostile "+strings.Repeat("x", 2*shortText))
	w.Write("a.txt", "the agent's\n")
	w.stop("s1")
	if got := w.Git("show", w.shadows()[0]+":a.txt"); got != "the agent's" {
		t.Errorf("a.txt in the step is %q", got)
	}
	if got := w.problems(); !strings.Contains(got, "a hook had no time to read the end of its conversation") {
		t.Errorf("status says %q", got)
	}
	if got := w.storedTalk("s1"); strings.Contains(got, "hostile") || !strings.Contains(got, "write it") {
		t.Errorf("stored of the conversation: %.300q", got)
	}
	slow = false
	w.event(agent.SessionEnd, "s1", nil)
	if got := w.problems(); strings.Contains(got, "no time") {
		t.Errorf("status says %q", got)
	}
	if got := w.storedTalk("s1"); !strings.Contains(got, "hostile") || !strings.Contains(got, "done") {
		t.Errorf("stored of the conversation: %.300q", got)
	}
}

// storedTalk is what is stored of a session's conversation, wherever.
func (w *world) storedTalk(sid string) string {
	var out strings.Builder
	for _, tree := range append(w.shadows(), "refs/entire/backlog/"+sid) {
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

// A line that no hook ever has the time for is left out, and what follows is read.
func TestLineThatTakesForEverIsLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	block := make(chan struct{})
	t.Cleanup(func() { close(block) })
	w.inHook(400 * time.Millisecond)
	limit := w.tune
	w.tune = func(o *Options) {
		limit(o)
		o.Redact = func(line []byte) []byte {
			if bytes.Contains(line, []byte("hostile")) {
				<-block
			}
			return redact.Line(line)
		}
	}
	w.turn("s1", "write it", func() {
		w.say("s1", "assistant", "hostile "+strings.Repeat("x", 2*shortText))
		w.Write("a.txt", "the agent's\n")
	})
	for range 3 {
		w.turn("s1", "go on", func() {})
	}
	got := w.storedTalk("s1")
	if strings.Contains(got, "hostile") || !strings.Contains(got, `"type":"entire-left-out"`) || !strings.Contains(got, "go on") {
		t.Errorf("stored of the conversation: %.600q", got)
	}
	if got := w.problems(); strings.Contains(got, "no time") {
		t.Errorf("status says %q", got)
	}
}

// An event that fails is no secret.
func TestStatusTellsOfAFailedEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	w.prompt("s1", "write it")
	w.Write("a.txt", "the agent's\n")
	w.say("s1", "assistant", "done")
	ctx, cancel := context.WithCancel(w.ctx)
	cancel()
	ev := agent.Event{Type: agent.TurnEnd, Agent: agent.AgentNameClaudeCode, AgentType: agent.AgentTypeClaudeCode, SessionID: sessionID(t, "s1"), TranscriptPath: w.transcript("s1"), Dir: w.Dir, Time: w.now}
	if _, err := w.engine().Handle(ctx, ev); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if got := w.problems(); !strings.Contains(got, "its turn-end failed") {
		t.Errorf("status says %q", got)
	}
	w.prompt("s1", "go on")
	if got := w.problems(); strings.Contains(got, "failed") {
		t.Errorf("status says %q", got)
	}
	if got := w.Git("show", w.shadows()[0]+":a.txt"); got != "the agent's" {
		t.Errorf("a.txt in the step is %q", got)
	}
}
