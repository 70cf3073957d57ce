package transcript_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/strategy/internal/enginetest"
	"entire/strategy/transcript"
)

// tellCall plays the hook of a call of Gemini's in session s1.
func tellCall(t *testing.T, w *enginetest.World, kind agent.EventType, command string) error {
	input, _ := json.Marshal(map[string]string{"command": command})
	return transcript.KeepHookCall(w.Ctx, w.Engine(), agent.Event{Type: kind, Agent: agent.AgentNameGemini, AgentType: agent.AgentTypeGemini,
		SessionID: enginetest.SessionID(t, "s1"), ToolName: "run_shell_command", ToolInput: input})
}

func newGeminiTurn(t *testing.T) (w *enginetest.World, calls string) {
	w = enginetest.NewWorld(t)
	w.Event(agent.TurnStart, "s1", func(ev *agent.Event) {
		ev.Agent, ev.AgentType, ev.Prompt = agent.AgentNameGemini, agent.AgentTypeGemini, "hi"
	})
	return w, filepath.Join(w.Engine().Store.Dir(enginetest.SessionID(t, "s1")), "calls.jsonl")
}

// TestHookCallEndsTheLastThatBegan: of equal calls that run, an end belongs to the last one that began.
func TestHookCallEndsTheLastThatBegan(t *testing.T) {
	t.Parallel()
	w, _ := newGeminiTurn(t)
	for _, e := range []struct {
		kind    agent.EventType
		command string
	}{{agent.ToolStart, "make"}, {agent.ToolStart, "make"}, {agent.ToolStart, "ls"}, {agent.ToolEnd, "make"}, {agent.ToolEnd, "pwd"}} {
		if err := tellCall(t, w, e.kind, e.command); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for line := range strings.Lines(string(transcript.HookCalls(w.Engine(), enginetest.SessionID(t, "s1")))) {
		var one struct {
			ToolCalls []struct {
				Status string
				Args   struct{ Command string }
			}
		}
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		got = append(got, one.ToolCalls[0].Args.Command+" "+one.ToolCalls[0].Status)
	}
	if strings.Join(got, ", ") != "make executing, make success, ls executing, pwd success" {
		t.Errorf("told calls: %s", got)
	}
}

// TestHookCallAfterKilledHook: what a hook wrote in part, as it was killed or the disk was full, takes no other call with it.
func TestHookCallAfterKilledHook(t *testing.T) {
	t.Parallel()
	w, calls := newGeminiTurn(t)
	if err := os.WriteFile(calls, []byte(`{"call":"told-1","li`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tellCall(t, w, agent.ToolStart, "make"); err != nil {
		t.Fatal(err)
	}
	if got := string(transcript.HookCalls(w.Engine(), enginetest.SessionID(t, "s1"))); !strings.Contains(got, "make") {
		t.Errorf("calls: %q", got)
	}
}

// TestTurnWhereHookCallsStay: a folder in the place of the calls that hooks told stops no turn.
func TestTurnWhereHookCallsStay(t *testing.T) {
	t.Parallel()
	w, calls := newGeminiTurn(t)
	if err := os.MkdirAll(filepath.Join(calls, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.Write("a.txt", "by the agent\n")
	for _, kind := range []agent.EventType{agent.TurnEnd, agent.TurnStart, agent.TurnEnd} {
		w.Event(kind, "s1", func(ev *agent.Event) {
			ev.Agent, ev.AgentType, ev.Prompt = agent.AgentNameGemini, agent.AgentTypeGemini, "again"
		})
	}
	if got := w.Touched("s1"); got != "a.txt" {
		t.Errorf("the session touched %q", got)
	}
}

// TestManyHookCalls are read in time that grows with their number, not with its square.
func TestManyHookCalls(t *testing.T) {
	t.Parallel()
	w, calls := newGeminiTurn(t)
	var text strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&text, `{"call":"told-%d","line":{}}`+"\n"+`{"call":"told-%d","ended":true,"line":{}}`+"\n", i, i)
	}
	if err := os.WriteFile(calls, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	transcript.HookCalls(w.Engine(), enginetest.SessionID(t, "s1"))
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("it took %s", took)
	}
}
