package turn_test

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
	"entire/strategy/engine"
	"entire/strategy/internal/enginetest"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
)

// Files that a hook has no time for are saved by the next events, as the work of whoever
// made them, and until then status says so.
func TestFilesWithoutTimeAreSavedByTheNextEvents(t *testing.T) {
	t.Parallel()
	const each = 25
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Slowly("many")
	limit := 250 * time.Millisecond
	w.InHook(limit)
	writeMany := func(whose string) {
		for n := range each {
			w.Write(fmt.Sprintf("many/%s%02d.txt", whose, n), fmt.Sprintln(whose, n))
		}
	}
	writeMany("person")
	w.Prompt("s1", "write many files")
	writeMany("agent")
	w.Write("a.txt", "the agent's\n")
	w.Stop("s1")
	if got := w.Problems(); !strings.Contains(got, "a hook had no time to read them") {
		t.Fatalf("status says %q", got)
	}
	w.Write("many/later.txt", "a person's, since\n")
	rounds := 0
	for ; strings.Contains(w.Problems(), "no time"); rounds++ {
		if rounds > 2*each {
			t.Fatal("it never ends")
		}
		if rounds%10 == 9 { // too slow a machine to read anything
			limit *= 2
			w.InHook(limit)
		}
		w.Prompt("s1", fmt.Sprint("go on ", rounds))
		w.Event(agent.SessionEnd, "s1", nil)
	}
	t.Logf("%d rounds", rounds)
	owners := w.StepOwners()
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
	w.WantRewindsTo(w.Label("all").ID)
}

// A tracked file that there is no time for stays in the step as the step before had it.
func TestFileWithoutTimeStaysAsTheStepBefore(t *testing.T) {
	t.Parallel()
	for limit := 50 * time.Millisecond; !staysAsTheStepBefore(t, limit); limit *= 2 {
		if limit > time.Second {
			t.Fatal("no step is ever saved")
		}
	}
}

// staysAsTheStepBefore is false if the time was too short for any step.
func staysAsTheStepBefore(t *testing.T, limit time.Duration) bool {
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "write", func() { w.Write("a.txt", "first\n") })
	w.Slowly("none")
	w.Git("config", "filter.slow.clean", "sleep 3; cat")
	w.Write(".gitattributes", "a.txt filter=slow\n")
	w.InHook(limit)
	w.Turn("s1", "write again", func() { w.Write("a.txt", "second\n"); w.Write("b.txt", "fast\n") })
	refs := w.Shadows()
	if len(refs) == 0 {
		return false
	}
	if got := w.Git("show", refs[0]+":a.txt"); got != "first" {
		t.Errorf("a.txt in the step is %q", got)
	}
	return true
}

// What takes longer to redact than a hook has is no reason to save no files.
func TestConversationWithoutTimeIsReadByTheNextEvents(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	block := make(chan struct{})
	t.Cleanup(func() { close(block) })
	w.InHook(4 * time.Second)
	limit, slow := w.Tune, true
	w.Tune = func(o *sessionstate.Options) {
		limit(o)
		o.Redact = func(line []byte) []byte {
			if slow && bytes.Contains(line, []byte("hostile")) {
				<-block
			}
			return redact.Line(line)
		}
	}
	w.Prompt("s1", "write it")
	w.Say("s1", "assistant", "hostile "+strings.Repeat("x", 2*transcript.RedactAtOnceMax))
	w.Write("a.txt", "the agent's\n")
	w.Stop("s1")
	if got := w.Git("show", w.Shadows()[0]+":a.txt"); got != "the agent's" {
		t.Errorf("a.txt in the step is %q", got)
	}
	if got := w.Problems(); !strings.Contains(got, "a hook had no time to read the end of its conversation") {
		t.Errorf("status says %q", got)
	}
	if got := w.StoredAnywhere("s1"); strings.Contains(got, "hostile") || !strings.Contains(got, "write it") {
		t.Errorf("stored of the conversation: %.300q", got)
	}
	slow = false
	w.Event(agent.SessionEnd, "s1", nil)
	if got := w.Problems(); strings.Contains(got, "no time") {
		t.Errorf("status says %q", got)
	}
	if got := w.StoredAnywhere("s1"); !strings.Contains(got, "hostile") || !strings.Contains(got, "done") {
		t.Errorf("stored of the conversation: %.300q", got)
	}
}

// A line that no hook ever has the time for is left out, and what follows is read.
func TestLineThatTakesForEverIsLeftOut(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	block := make(chan struct{})
	t.Cleanup(func() { close(block) })
	w.InHook(time.Second)
	limit := w.Tune
	w.Tune = func(o *sessionstate.Options) {
		limit(o)
		o.Redact = func(line []byte) []byte {
			if bytes.Contains(line, []byte("hostile")) {
				<-block
			}
			return redact.Line(line)
		}
	}
	w.Turn("s1", "write it", func() {
		w.Say("s1", "assistant", "hostile "+strings.Repeat("x", 2*transcript.RedactAtOnceMax))
		w.Write("a.txt", "the agent's\n")
	})
	for range 3 {
		w.Turn("s1", "go on", func() {})
	}
	got := w.StoredAnywhere("s1")
	if strings.Contains(got, "hostile") || !strings.Contains(got, `"type":"entire-left-out"`) || !strings.Contains(got, "go on") {
		t.Errorf("stored of the conversation: %.600q", got)
	}
	if got := w.Problems(); strings.Contains(got, "no time") {
		t.Errorf("status says %q", got)
	}
}

// An event that fails is no secret.
func TestStatusTellsOfAFailedEvent(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Prompt("s1", "write it")
	w.Write("a.txt", "the agent's\n")
	w.Say("s1", "assistant", "done")
	ctx, cancel := context.WithCancel(w.Ctx)
	cancel()
	ev := agent.Event{Type: agent.TurnEnd, Agent: agent.AgentNameClaudeCode, AgentType: agent.AgentTypeClaudeCode, SessionID: enginetest.SessionID(t, "s1"), TranscriptPath: w.Transcript("s1"), Dir: w.Dir, Time: w.Now}
	if _, err := engine.Handle(ctx, w.Engine(), ev); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if got := w.Problems(); !strings.Contains(got, "its turn-end failed") {
		t.Errorf("status says %q", got)
	}
	w.Prompt("s1", "go on")
	if got := w.Problems(); strings.Contains(got, "failed") {
		t.Errorf("status says %q", got)
	}
	if got := w.Git("show", w.Shadows()[0]+":a.txt"); got != "the agent's" {
		t.Errorf("a.txt in the step is %q", got)
	}
}
