package agents_test

import (
	"os"
	"path/filepath"
	"testing"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/internal/agenttest"
)

// TestRecognise: every adapter's golden transcript is recognised by that adapter, and by no other.
func TestRecognise(t *testing.T) {
	t.Parallel()
	golden := map[agent.AgentName][]string{
		"claude-code": {"testdata/transcripts/claude-code.jsonl"},
		"gemini":      {"testdata/agents/gemini/session-new.jsonl", "testdata/agents/gemini/session-old.json"},
		"codex":       {"agent/codex/testdata/rollout.jsonl"},
		"opencode":    {"agent/opencode/testdata/turn-end.json"},
		"kilo":        nil, // its lines have the form of OpenCode's
		"qwen":        {"agent/qwen/testdata/transcript.jsonl"},
		"copilot":     {"agent/copilot/testdata/events.jsonl"},
		"pi":          {"agent/pi/testdata/session.jsonl"},
		"cline":       {"agent/cline/testdata/s1.messages.json"},
		"droid":       {"agent/droid/testdata/session.jsonl"},
		"cursor":      {"agent/cursor/testdata/session.jsonl"},
		"generic":     {"testdata/agents/generic/transcript.jsonl"},
	}
	for _, ag := range agents.All() {
		files, listed := golden[ag.Name()]
		if !listed {
			t.Errorf("no golden transcript of %s", ag.Name())
		}
		for _, name := range files {
			head := linesOf(t, ag, name)
			for _, other := range agents.All() {
				r, ok := other.(agent.Recogniser)
				if got := ok && r.Recognises(head); got != (other.Name() == ag.Name()) {
					t.Errorf("%s recognises %s: %v", other.Name(), name, got)
				}
			}
			if found, ok := agents.Recognise(head); !ok || found.Name() != ag.Name() {
				t.Errorf("%s: found %v", name, found)
			}
		}
	}
}

// linesOf returns a transcript as this program reads it: where it keeps the lines itself, the adapter
// makes them.
func linesOf(t *testing.T, ag agent.Agent, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	if k, ok := ag.(agent.DocumentKeeper); ok {
		lines, _ := k.Lines(agenttest.Session(t, "s1"), map[string][]byte{name: data})
		return lines
	}
	if filepath.Base(name) != "turn-end.json" {
		return data
	}
	ev, err := ag.Decode("turn-end", data, agenttest.HookTime)
	if err != nil {
		t.Fatal(err)
	}
	return ev.Lines
}

// TestRecogniseCut: the beginning of a document is enough, and a line that is cut is no document.
func TestRecogniseCut(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]agent.AgentName{
		"{\n  \"sessionId\": \"s\",\n  \"messages\": [\n":                               "gemini",
		`{"messages":[{"id":"1"`:                                                        "gemini",
		`{"timestamp":"t","type":"session_meta","payload":{"instructions":"You`:         "codex",
		`{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":`: "",
	} {
		var found []agent.AgentName
		for _, ag := range agents.All() {
			if r, ok := ag.(agent.Recogniser); ok && r.Recognises([]byte(head)) {
				found = append(found, ag.Name())
			}
		}
		if want == "" && len(found) == 0 || len(found) == 1 && found[0] == want {
			continue
		}
		t.Errorf("%s: %v, want %s", head, found, want)
	}
}
