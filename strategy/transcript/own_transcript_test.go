package transcript_test

import (
	"os"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/generic"
	"entire/strategy/internal/enginetest"
	"entire/strategy/transcript"
)

// TestAgentWithoutTranscript has one kept for it, made of what its events say.
func TestAgentWithoutTranscript(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	hook := func(kind agent.EventType, fill func(*agent.Event)) {
		w.Event(kind, "s1", func(ev *agent.Event) {
			ev.Agent, ev.AgentType, ev.TranscriptPath = agent.AgentNameGeneric, "Aider", ""
			if fill != nil {
				fill(ev)
			}
		})
	}
	prompt := func(ev *agent.Event) { ev.Prompt = "with AKIAQ3EGUPZZXFTRKW4N" }
	hook(agent.TurnStart, prompt)
	hook(agent.TurnStart, prompt) // two sets of hooks tell of it
	w.Write("a.txt", "1\n")
	hook(agent.TurnEnd, func(ev *agent.Event) { prompt(ev); ev.Answer, ev.Files = "done", []string{"a.txt"} })
	hook(agent.TurnEnd, func(ev *agent.Event) { ev.Prompt = "asked and answered at once"; ev.Answer = "yes" })
	w.Git("add", "-A")
	cp := w.CommitHooked("x")
	var roles []string
	for line := range strings.Lines(w.Metadata(cp, "0/full.jsonl")) {
		roles = append(roles, strings.SplitN(line, `"`, 5)[3])
	}
	if got := strings.Join(roles, " "); got != "user tool assistant user assistant" {
		t.Errorf("transcript of %s", got)
	}
	if got := w.Metadata(cp, "0/prompt.txt"); got != "with REDACTED\n\n---\n\nasked and answered at once" {
		t.Errorf("prompts %q", got)
	}
	own, err := os.ReadFile(w.State("s1").TranscriptPath)
	if err != nil || strings.Contains(string(own), "AKIA") {
		t.Errorf("%s, %v", own, err)
	}
	if got := w.Metadata(cp, "0/metadata.json"); strings.Contains(got, "transcript_path") || !strings.Contains(got, `"agent": "Aider"`) {
		t.Errorf("metadata %s", got)
	}
}

// TestOwnTranscriptIsTheSessionsOwn: another agent's name in metadata does not lead
// to a session's file.
func TestOwnTranscriptIsTheSessionsOwn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "hi", func() { w.Write("a.txt", "1\n") })
	e, sid := w.Engine(), enginetest.SessionID(t, "s1")
	if got := transcript.Home(w.Ctx, e, generic.Adapter{}, sid, "", nil); got != "" {
		t.Errorf("%s", got)
	}
}
