package conversation_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/generic"
	"entire/agent/internal/agenttest"
	"entire/id"
)

var genericTranscript generic.Adapter

func TestGenericDecode(t *testing.T) {
	t.Parallel()
	const base = `"version":1,"session_id":"s1","cwd":"/w"`
	for name, row := range map[string]struct {
		verb, payload string
		want          agent.Event
		warnings      int
	}{
		"start":           {"session-start", base + `,"agent":"Aider","source":"startup"`, agent.Event{AgentType: "Aider", Source: "startup"}, 0},
		"prompt":          {"turn-start", base + `,"prompt":"do it"`, agent.Event{Prompt: "do it"}, 0},
		"answer":          {"turn-end", base + `,"prompt":"do it","response":"did it","files":["a.go","b c"]`, agent.Event{Prompt: "do it", Answer: "did it", Files: []string{"a.go", "b c"}}, 0},
		"end":             {"session-end", base + `,"reason":"exit"`, agent.Event{Reason: "exit"}, 0},
		"transcript":      {"turn-end", base + `,"transcript_path":"log/t.jsonl"`, agent.Event{TranscriptPath: "/w/log/t.jsonl"}, 0},
		"task":            {"task-start", base + `,"task_id":"t1","task_type":"review","description":"look"`, agent.Event{ToolUseID: "t1", SubagentType: "review", Description: "look"}, 0},
		"task end":        {"task-end", base + `,"tool_use_id":"t1"`, agent.Event{ToolUseID: "t1"}, 0},
		"todo":            {"todo", base + `,"task_id":"t1","todos":[{"content":"x","status":"completed"}]`, agent.Event{ToolUseID: "t1", Todos: []agent.TodoItem{{Content: "x", Status: "completed"}}}, 0},
		"camel case":      {"turn-start", `"sessionId":"s1","cwd":"/w"`, agent.Event{}, 0},
		"another version": {"turn-start", base[len(`"version":1,`):] + `,"version":2`, agent.Event{}, 1},
		"odd name":        {"turn-start", base + `,"agent":"a\nEntire-Checkpoint: x"`, agent.Event{}, 1},
		"long name":       {"turn-start", base + `,"agent":"` + strings.Repeat("a", 41) + `"`, agent.Event{}, 1},
		"loose name":      {"turn-start", base + `,"agent":" a"`, agent.Event{}, 1},
		"odd files":       {"turn-end", base + `,"files":"a"`, agent.Event{}, 1},
		"odd file":        {"turn-end", base + `,"files":["a",1]`, agent.Event{Files: []string{"a"}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := genericTranscript.Decode(row.verb, []byte("{"+row.payload+"}"), agenttest.HookTime)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Warnings) != row.warnings {
				t.Errorf("warnings %q, want %d", got.Warnings, row.warnings)
			}
			want := row.want
			if want.AgentType == "" {
				want.AgentType = agent.AgentTypeUnknown
			}
			want.Type, want.Agent, want.SessionID, want.Dir = agent.EventType(row.verb), "generic", agenttest.Session(t, "s1"), "/w"
			want.Time, want.Warnings = agenttest.HookTime, got.Warnings
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestGenericDecodeRefuses(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ verb, payload, want string }{
		"empty":        {"turn-start", "", "empty input"},
		"no session":   {"turn-start", `{"transcript_path":"/x/s.jsonl"}`, "no session_id"},
		"climbing":     {"turn-start", `{"session_id":"../x"}`, "session id"},
		"no task":      {"task-start", `{"session_id":"s"}`, "no tool_use_id"},
		"unknown verb": {"stop", `{"session_id":"s"}`, "unknown hook verb"},
	} {
		if ev, err := genericTranscript.Decode(row.verb, []byte(row.payload), agenttest.HookTime); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %+v, %v", name, ev, err)
		}
	}
}

// TestGenericConversation reads the transcript that docs/agents.md shows.
func TestGenericConversation(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "agents", "generic", "transcript.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "agents.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), string(data)) {
		t.Error("docs/agents.md shows another transcript")
	}
	for _, kind := range []agent.AgentType{agent.AgentTypeUnknown, "Aider"} {
		c := conversation.Read(kind, data)
		if !reflect.DeepEqual(c.Prompts, []string{"Add a total to the cart"}) || c.LastAssistant != "The cart has a total now." {
			t.Errorf("%q, %q", c.Prompts, c.LastAssistant)
		}
		if got := c.EditsSince(conversation.Mark{}); !reflect.DeepEqual(got, []string{"cart.go", "cart_test.go"}) {
			t.Errorf("edits %q", got)
		}
		if want := (agent.TokenUsage{InputTokens: 1200, CacheReadTokens: 800, OutputTokens: 90, APICallCount: 1}); !reflect.DeepEqual(c.Usage(), want) {
			t.Errorf("usage %+v", c.Usage())
		}
		const text = "[User] Add a total to the cart\n\n[Tool] edit: cart.go\n\n[Tool] shell: go test ./...\n\n[Assistant] The cart has a total now.\n"
		if got := conversation.CondenseFrom(kind, data, 0, nil); got != text {
			t.Errorf("%q", got)
		}
	}
	line := agent.TranscriptLine{Role: "tool", Name: "write", Files: []string{"a"}}.Encode()
	if got := conversation.Read("", line).EditsSince(conversation.Mark{}); !reflect.DeepEqual(got, []string{"a"}) {
		t.Errorf("a line of our own: %q", got)
	}
	// The form of other agents is read too.
	other := []byte(`{"role":"user","message":{"content":[{"type":"text","text":"<user_query>"},{"type":"text","text":"hi"}]}}` + "\n" +
		`{"type":"user","message":{"content":"as Claude Code"}}`)
	if got := conversation.Read(agent.AgentTypeUnknown, other).Prompts; len(got) != 2 || got[1] != "as Claude Code" {
		t.Errorf("%q", got)
	}
}

func FuzzGeneric(f *testing.F) {
	f.Add("turn-end", []byte(`{"version":1,"session_id":"s","agent":"A","files":["a"],"todos":[1]}`))
	f.Add("todo", []byte(`{"session_id":"s","task_id":"t","todos":[{"content":"x"}]}`))
	f.Add("", []byte(`{"role":"assistant","text":[{"text":1}],"usage":{"input_tokens":1e99},"files":[[]]}`))
	f.Fuzz(func(t *testing.T, verb string, data []byte) {
		conversation.Read(agent.AgentTypeUnknown, data)
		conversation.CondenseFrom(agent.AgentTypeUnknown, data, 1, nil)
		ev, err := genericTranscript.Decode(verb, data, agenttest.HookTime)
		if err != nil {
			return
		}
		if ev.SessionID.IsZero() || ev.AgentType == "" || strings.ContainsAny(string(ev.AgentType), "\n\r:") {
			t.Fatalf("%+v", ev)
		}
		if _, err := id.ParseToolUseID(ev.ToolUseID); err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(ev); err != nil {
			t.Fatal(err)
		}
	})
}
