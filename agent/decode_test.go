package agent

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"entire/id"
)

const golden = "../testdata/agents/claude-code"

var hookTime = time.Date(2026, 2, 11, 20, 36, 45, 0, time.UTC)

func readGolden(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(golden, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func session(t testing.TB, s string) id.SessionID {
	t.Helper()
	sid, err := id.ParseSessionID(s)
	if err != nil {
		t.Fatal(err)
	}
	return sid
}

func TestDecodeGoldenPayloads(t *testing.T) {
	t.Parallel()
	claudeEvent := func(e Event) Event {
		e.AgentType = AgentTypeClaudeCode
		e.SessionID = session(t, "258c7280-ae70-4798-800f-63464d01a85d")
		e.TranscriptPath = "/home/dev/.claude/projects/-home-dev-shop/258c7280-ae70-4798-800f-63464d01a85d.jsonl"
		return e
	}
	explore := Event{
		ToolName: "Task", ToolUseID: "toolu_01HaEX6WGRyK8yccb6knr31H", SubagentType: "Explore", Description: "Explore the cart",
	}
	started, ended := explore, explore
	started.Type, ended.Type, ended.AgentID = TaskStart, TaskEnd, "a2898e3"
	for name, want := range map[string]Event{
		"session-start":           claudeEvent(Event{Type: SessionStart, Source: "resume", Model: "claude-opus-4-6"}),
		"user-prompt-submit":      claudeEvent(Event{Type: TurnStart, Source: "user", Mode: "acceptEdits", Prompt: "Please add a \"total\" to the cart\nand test it — würde auch “Größe” zählen?"}),
		"stop":                    claudeEvent(Event{Type: TurnEnd, Mode: "default", AtWork: []string{}}),
		"session-end":             claudeEvent(Event{Type: SessionEnd, Reason: "prompt_input_exit"}),
		"pre-task":                claudeEvent(started),
		"post-task":               claudeEvent(ended),
		"subagent-start":          claudeEvent(Event{Type: TaskStart, Mode: "default", AgentID: "a8f8545b57fe8eb21", SubagentType: "general-purpose"}),
		"subagent-stop":           claudeEvent(Event{Type: TaskEnd, Mode: "default", AgentID: "a8f8545b57fe8eb21", SubagentType: "general-purpose"}),
		"post-task-text-response": claudeEvent(ended),
		"post-todo": claudeEvent(Event{
			Type: Todo, ToolName: "TodoWrite", ToolUseID: "toolu_01QYj1Zx8t7sB6k2vD3nWm4c", AgentID: "a2898e3",
			Todos: []TodoItem{
				{Content: "Find the sum", Status: "completed", ActiveForm: "Finding the sum"},
				{Content: "Add the total", Status: "in_progress", ActiveForm: "Adding the total"},
			},
		}),
		"stop-from-copilot": {
			Type: TurnEnd, AgentType: AgentTypeCopilot, SessionID: session(t, "9f0c6f1e-5a0f-4a52-9a43-1fb6a9d9a001"),
			TranscriptPath: "/home/dev/.copilot/session-state/9f0c6f1e-5a0f-4a52-9a43-1fb6a9d9a001/events.jsonl",
		},
		"stop-from-cursor": {
			Type: TurnEnd, AgentType: AgentTypeUnknown, SessionID: session(t, "3b8f7f0a-1f9e-4a63-8f0b-0a8f0f6f2f22"),
		},
		"user-prompt-submit-from-gemini": {
			Type: TurnStart, AgentType: AgentTypeGemini, SessionID: session(t, "5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10"), Prompt: "hello",
			TranscriptPath: "/home/dev/.gemini/tmp/shop/chats/session-2026-08-21T10-11-5d1f6d2e.jsonl",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := readGolden(t, name)
			got, err := claude.Decode(verbOf(t, name), data, hookTime)
			if err != nil {
				t.Fatal(err)
			}
			want.Agent, want.Dir, want.Time = "claude-code", "/home/dev/shop", hookTime
			want.ToolInput = member(t, data, "tool_input")
			if strings.HasSuffix(name, "-task") {
				want.Mode = "default"
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// verbOf is the verb that a golden file's name begins with.
func verbOf(t testing.TB, name string) string {
	t.Helper()
	for _, v := range claude.Verbs() {
		if strings.HasPrefix(name, v) {
			return v
		}
	}
	t.Fatalf("no verb for %s", name)
	return ""
}

func member(t testing.TB, data []byte, key string) json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m[key]
}

func TestEveryVerbHasAGoldenPayload(t *testing.T) {
	t.Parallel()
	for _, v := range claude.Verbs() {
		if _, err := claude.Decode(v, readGolden(t, v), hookTime); err != nil {
			t.Error(err)
		}
	}
}

func TestDecodeToleratesOddFields(t *testing.T) {
	t.Parallel()
	const task = `"session_id":"s1","tool_use_id":"toolu_1",`
	for name, row := range map[string]struct {
		verb, payload string
		want          Event
		warnings      int
	}{
		"camel case":            {"user-prompt-submit", `{"sessionId":"s1","prompt":"hi","cwd":"/w"}`, Event{Prompt: "hi", Dir: "/w"}, 0},
		"nulls":                 {"user-prompt-submit", `{"session_id":"s1","prompt":null,"cwd":null,"transcript_path":null,"source":null}`, Event{}, 0},
		"wrong types":           {"user-prompt-submit", `{"session_id":"s1","prompt":7,"cwd":{},"transcript_path":[],"source":true}`, Event{}, 4},
		"prompt of blocks":      {"user-prompt-submit", `{"session_id":"s1","prompt":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}`, Event{Prompt: "a\n\nb"}, 0},
		"null, then camel case": {"stop", `{"session_id":null,"sessionId":"s1"}`, Event{}, 0},
		"repeated key":          {"stop", `{"session_id":"../x","session_id":"s1"}`, Event{}, 0},
		"escaped key":           {"stop", `{"session\u005fid":"s1"}`, Event{}, 0},
		"byte order mark":       {"stop", "\ufeff {\"session_id\":\"s1\"}\r\n", Event{}, 0},
		"relative paths":        {"stop", `{"session_id":"s1","cwd":"w","transcript_path":"t.jsonl"}`, Event{}, 2},
		"path beside cwd":       {"stop", `{"session_id":"s1","cwd":"/w","transcript_path":"a/t.jsonl"}`, Event{Dir: "/w", TranscriptPath: "/w/a/t.jsonl"}, 0},
		"nul in path":           {"stop", `{"session_id":"s1","cwd":"/w\u0000","transcript_path":"/t\u0000"}`, Event{}, 2},
		"home":                  {"stop", `{"session_id":"s1","cwd":"/w","transcript_path":"~/t.jsonl"}`, Event{Dir: "/w"}, 1},
		"session from path":     {"stop", `{"transcript_path":"/p/s1.jsonl"}`, Event{TranscriptPath: "/p/s1.jsonl"}, 1},
		"hostile agent id":      {"stop", `{"session_id":"s1","agent_id":"../../x"}`, Event{}, 1},
		"response is text":      {"post-task", `{` + task + `"tool_response":"done. agentId: abc12\nbye"}`, Event{ToolUseID: "toolu_1", AgentID: "abc12"}, 0},
		"response is a number":  {"post-task", `{` + task + `"tool_response":3}`, Event{ToolUseID: "toolu_1"}, 0},
		"response, agent id is": {"post-task", `{` + task + `"tool_response":{"agentId":5,"content":"agentId: x9"}}`, Event{ToolUseID: "toolu_1", AgentID: "x9"}, 1},
		"hostile id in text":    {"post-task", `{` + task + `"tool_response":"agentId: ../x"}`, Event{ToolUseID: "toolu_1"}, 0},
		"input is text":         {"post-task", `{` + task + `"tool_input":"x"}`, Event{ToolUseID: "toolu_1"}, 1},
		"input of wrong types":  {"pre-task", `{` + task + `"tool_input":{"description":1,"subagent_type":[]}}`, Event{ToolUseID: "toolu_1", ToolInput: json.RawMessage(`{"description":1,"subagent_type":[]}`)}, 2},
		"todos is text":         {"post-todo", `{"session_id":"s1","tool_input":{"todos":"x"}}`, Event{ToolInput: json.RawMessage(`{"todos":"x"}`)}, 1},
		"a todo is text":        {"post-todo", `{"session_id":"s1","tool_input":{"todos":["x",{"content":"c","status":1}]}}`, Event{ToolInput: json.RawMessage(`{"todos":["x",{"content":"c","status":1}]}`), Todos: []TodoItem{{Content: "c"}}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := claude.Decode(row.verb, []byte(row.payload), hookTime)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Warnings) != row.warnings {
				t.Errorf("warnings %q, want %d", got.Warnings, row.warnings)
			}
			want := row.want
			want.Type, _ = claudeEvent(row.verb)
			want.Agent, want.AgentType, want.SessionID = "claude-code", AgentTypeClaudeCode, session(t, "s1")
			want.Time, want.Warnings = hookTime, got.Warnings
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 10_000)
	for name, row := range map[string]struct{ verb, payload, want string }{
		"empty":               {"stop", "", "empty input"},
		"blank":               {"stop", " \n", "empty input"},
		"torn":                {"stop", `{"session_id":"s1"`, "is not JSON"},
		"list":                {"stop", `[]`, "not a JSON object"},
		"deep":                {"stop", strings.Repeat("[", 200_000), "is not JSON"},
		"no session":          {"session-start", `{}`, "no session_id in input"},
		"subagent's path":     {"stop", `{"transcript_path":"/p/agent-a1.jsonl"}`, "no session_id in input"},
		"climbing":            {"stop", `{"session_id":"../../etc/passwd"}`, "session id"},
		"dots":                {"stop", `{"session_id":".."}`, "session id"},
		"nul":                 {"stop", `{"session_id":"a\u0000b"}`, "session id"},
		"separator":           {"stop", `{"session_id":"a/b"}`, "session id"},
		"other separator":     {"stop", `{"session_id":"a\\b"}`, "session id"},
		"dash":                {"stop", `{"session_id":"-rf"}`, "session id"},
		"long":                {"stop", `{"session_id":"` + long + `"}`, "session id"},
		"climbing, from path": {"stop", `{"transcript_path":"/p/...jsonl"}`, "session id"},
		"hostile tool use":    {"post-todo", `{"session_id":"s1","tool_use_id":"../x"}`, "tool"},
		"unknown verb":        {"pre-" + long, `{"session_id":"s1"}`, "unknown hook verb"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ev, err := claude.Decode(row.verb, []byte(row.payload), hookTime)
			if err == nil || !strings.Contains(err.Error(), row.want) || len(err.Error()) > 300 {
				t.Fatalf("got %+v, error %v", ev, err)
			}
			if errors.Is(err, ErrUnknownVerb) != strings.HasPrefix(row.verb, "pre-a") {
				t.Fatalf("unknown verb: %v", err)
			}
		})
	}
}

func TestTypeByLocation(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]AgentType{
		"/home/a/.claude/projects/-x/s.jsonl":                    AgentTypeClaudeCode,
		`C:\Users\a\.claude\projects\C--x\s.jsonl`:               AgentTypeClaudeCode,
		"/home/a/.gemini/tmp/x/chats/s.jsonl":                    AgentTypeGemini,
		"/home/a/.codex/sessions/2026/1/1/rollout.jsonl":         AgentTypeUnknown,
		"/srv/.copilot/session-state/.claude/projects/x/s.jsonl": AgentTypeClaudeCode,
	} {
		if got, ok := TypeByLocation(path); !ok || got != want {
			t.Errorf("%s: %q, %v", path, got, ok)
		}
	}
	for _, path := range []string{"", "/tmp/s.jsonl", "/home/a/claude/projects/s.jsonl"} {
		if got, ok := TypeByLocation(path); ok {
			t.Errorf("%s: %q", path, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	names, err := filepath.Glob(filepath.Join(golden, "*.json"))
	if err != nil || len(names) == 0 {
		f.Fatal(names, err)
	}
	for _, n := range names {
		name := strings.TrimSuffix(filepath.Base(n), ".json")
		f.Add(verbOf(f, name), readGolden(f, name))
	}
	f.Fuzz(func(t *testing.T, verb string, data []byte) {
		ev, err := claude.Decode(verb, data, hookTime)
		if err != nil {
			if !reflect.DeepEqual(ev, Event{}) {
				t.Fatalf("an event beside %v: %+v", err, ev)
			}
			return
		}
		if ev.SessionID.IsZero() || ev.AgentType == "" || ev.Agent == "" || ev.Type == "" {
			t.Fatalf("incomplete: %+v", ev)
		}
		if _, err := id.ParseToolUseID(ev.ToolUseID); err != nil {
			t.Fatal(err)
		}
		if ev.AgentID != "" && !isWord(ev.AgentID) {
			t.Fatalf("agent id %q", ev.AgentID)
		}
		for _, p := range []string{ev.Dir, ev.TranscriptPath} {
			if p != "" && !filepath.IsAbs(p) || strings.ContainsRune(p, 0) {
				t.Fatalf("path %q", p)
			}
		}
		if len(ev.ToolInput) > 0 && !json.Valid(ev.ToolInput) {
			t.Fatalf("tool input %q", ev.ToolInput)
		}
	})
}
