package claude_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/claude"
	"entire/agent/internal/agenttest"
	"entire/agent/internal/jsontext"
	"entire/id"
)

const golden = "../../testdata/agents/claude-code"

func readGolden(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(golden, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDecodeGoldenPayloads(t *testing.T) {
	t.Parallel()
	claudeEvent := func(e agent.Event) agent.Event {
		e.AgentType = agent.AgentTypeClaudeCode
		e.SessionID = agenttest.Session(t, "258c7280-ae70-4798-800f-63464d01a85d")
		e.TranscriptPath = "/home/dev/.claude/projects/-home-dev-shop/258c7280-ae70-4798-800f-63464d01a85d.jsonl"
		return e
	}
	explore := agent.Event{
		ToolName: "Task", ToolUseID: "toolu_01HaEX6WGRyK8yccb6knr31H", SubagentType: "Explore", Description: "Explore the cart",
	}
	started, ended := explore, explore
	started.Type, ended.Type, ended.AgentID = agent.TaskStart, agent.TaskEnd, "a2898e3"
	for name, want := range map[string]agent.Event{
		"session-start":           claudeEvent(agent.Event{Type: agent.SessionStart, Source: "resume", Model: "claude-opus-4-6"}),
		"user-prompt-submit":      claudeEvent(agent.Event{Type: agent.TurnStart, Source: "user", Mode: "acceptEdits", Prompt: "Please add a \"total\" to the cart\nand test it — würde auch “Größe” zählen?"}),
		"stop":                    claudeEvent(agent.Event{Type: agent.TurnEnd, Mode: "default", Answer: "The cart has a total now.", BackgroundTasks: []string{}}),
		"session-end":             claudeEvent(agent.Event{Type: agent.SessionEnd, Reason: "prompt_input_exit"}),
		"pre-task":                claudeEvent(started),
		"post-task":               claudeEvent(ended),
		"subagent-start":          claudeEvent(agent.Event{Type: agent.TaskStart, Mode: "default", AgentID: "a8f8545b57fe8eb21", SubagentType: "general-purpose"}),
		"subagent-stop":           claudeEvent(agent.Event{Type: agent.TaskEnd, Mode: "default", AgentID: "a8f8545b57fe8eb21", Answer: "The notes are there.", SubagentType: "general-purpose"}),
		"post-task-text-response": claudeEvent(ended),
		"post-todo": claudeEvent(agent.Event{
			Type: agent.Todo, ToolName: "TodoWrite", ToolUseID: "toolu_01QYj1Zx8t7sB6k2vD3nWm4c", AgentID: "a2898e3",
			Todos: []agent.TodoItem{
				{Content: "Find the sum", Status: "completed", ActiveForm: "Finding the sum"},
				{Content: "Add the total", Status: "in_progress", ActiveForm: "Adding the total"},
			},
		}),
		"stop-failure": claudeEvent(agent.Event{Type: agent.TurnEnd, Mode: "default", Answer: "API Error: 529 Overloaded"}),
		"idle":         claudeEvent(agent.Event{Type: agent.Idle}),
		"stop-from-copilot": {
			Type: agent.TurnEnd, AgentType: agent.AgentTypeCopilot, SessionID: agenttest.Session(t, "9f0c6f1e-5a0f-4a52-9a43-1fb6a9d9a001"),
			TranscriptPath: "/home/dev/.copilot/session-state/9f0c6f1e-5a0f-4a52-9a43-1fb6a9d9a001/events.jsonl",
		},
		"stop-from-cursor": {
			Type: agent.TurnEnd, AgentType: agent.AgentTypeCursor, SessionID: agenttest.Session(t, "3b8f7f0a-1f9e-4a63-8f0b-0a8f0f6f2f22"),
		},
		"user-prompt-submit-from-gemini": {
			Type: agent.TurnStart, AgentType: agent.AgentTypeGemini, SessionID: agenttest.Session(t, "5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10"), Prompt: "hello",
			TranscriptPath: "/home/dev/.gemini/tmp/shop/chats/session-2026-08-21T10-11-5d1f6d2e.jsonl",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := readGolden(t, name)
			got, err := agenttest.Claude().Decode(verbOf(t, name), data, agenttest.HookTime)
			if err != nil {
				t.Fatal(err)
			}
			want.Agent, want.Dir, want.Time = "claude-code", "/home/dev/shop", agenttest.HookTime
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

// TestOtherNotifications: one that asks for a permission comes in the middle of a turn.
func TestOtherNotifications(t *testing.T) {
	t.Parallel()
	data := strings.Replace(string(readGolden(t, "idle")), "idle_prompt", "permission_prompt", 1)
	if ev, err := agenttest.Claude().Decode("idle", []byte(data), agenttest.HookTime); err != nil || ev.Type != "" {
		t.Errorf("%+v, %v", ev, err)
	}
}

// verbOf is the verb that a golden file's name begins with.
func verbOf(t testing.TB, name string) string {
	t.Helper()
	found := ""
	for _, v := range agenttest.Claude().Verbs() {
		if strings.HasPrefix(name, v) && len(v) > len(found) {
			found = v
		}
	}
	if found == "" {
		t.Fatalf("no verb for %s", name)
	}
	return found
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
	for _, v := range agenttest.Claude().Verbs() {
		if _, err := agenttest.Claude().Decode(v, readGolden(t, v), agenttest.HookTime); err != nil {
			t.Error(err)
		}
	}
}

func TestDecodeToleratesOddFields(t *testing.T) {
	t.Parallel()
	const task = `"session_id":"s1","tool_use_id":"toolu_1",`
	for name, row := range map[string]struct {
		verb, payload string
		want          agent.Event
		warnings      int
	}{
		"camel case":            {"user-prompt-submit", `{"sessionId":"s1","prompt":"hi","cwd":"/w"}`, agent.Event{Prompt: "hi", Dir: "/w"}, 0},
		"nulls":                 {"user-prompt-submit", `{"session_id":"s1","prompt":null,"cwd":null,"transcript_path":null,"source":null}`, agent.Event{}, 0},
		"wrong types":           {"user-prompt-submit", `{"session_id":"s1","prompt":7,"cwd":{},"transcript_path":[],"source":true}`, agent.Event{}, 4},
		"prompt of blocks":      {"user-prompt-submit", `{"session_id":"s1","prompt":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}`, agent.Event{Prompt: "a\n\nb"}, 0},
		"null, then camel case": {"stop", `{"session_id":null,"sessionId":"s1"}`, agent.Event{}, 0},
		"repeated key":          {"stop", `{"session_id":"../x","session_id":"s1"}`, agent.Event{}, 0},
		"escaped key":           {"stop", `{"session\u005fid":"s1"}`, agent.Event{}, 0},
		"byte order mark":       {"stop", "\ufeff {\"session_id\":\"s1\"}\r\n", agent.Event{}, 0},
		"relative paths":        {"stop", `{"session_id":"s1","cwd":"w","transcript_path":"t.jsonl"}`, agent.Event{}, 2},
		"path beside cwd":       {"stop", `{"session_id":"s1","cwd":"/w","transcript_path":"a/t.jsonl"}`, agent.Event{Dir: "/w", TranscriptPath: "/w/a/t.jsonl"}, 0},
		"nul in path":           {"stop", `{"session_id":"s1","cwd":"/w\u0000","transcript_path":"/t\u0000"}`, agent.Event{}, 2},
		"home":                  {"stop", `{"session_id":"s1","cwd":"/w","transcript_path":"~/t.jsonl"}`, agent.Event{Dir: "/w"}, 1},
		"session from path":     {"stop", `{"transcript_path":"/p/s1.jsonl"}`, agent.Event{TranscriptPath: "/p/s1.jsonl"}, 1},
		"hostile agent id":      {"stop", `{"session_id":"s1","agent_id":"../../x"}`, agent.Event{}, 1},
		"response is text":      {"post-task", `{` + task + `"tool_response":"done. agentId: abc12\nbye"}`, agent.Event{ToolUseID: "toolu_1", AgentID: "abc12"}, 0},
		"response is a number":  {"post-task", `{` + task + `"tool_response":3}`, agent.Event{ToolUseID: "toolu_1"}, 0},
		"response, agent id is": {"post-task", `{` + task + `"tool_response":{"agentId":5,"content":"agentId: x9"}}`, agent.Event{ToolUseID: "toolu_1", AgentID: "x9"}, 1},
		"hostile id in text":    {"post-task", `{` + task + `"tool_response":"agentId: ../x"}`, agent.Event{ToolUseID: "toolu_1"}, 0},
		"input is text":         {"post-task", `{` + task + `"tool_input":"x"}`, agent.Event{ToolUseID: "toolu_1"}, 1},
		"input of wrong types":  {"pre-task", `{` + task + `"tool_input":{"description":1,"subagent_type":[]}}`, agent.Event{ToolUseID: "toolu_1", ToolInput: json.RawMessage(`{"description":1,"subagent_type":[]}`)}, 2},
		"todos is text":         {"post-todo", `{"session_id":"s1","tool_input":{"todos":"x"}}`, agent.Event{ToolInput: json.RawMessage(`{"todos":"x"}`)}, 1},
		"a todo is text":        {"post-todo", `{"session_id":"s1","tool_input":{"todos":["x",{"content":"c","status":1}]}}`, agent.Event{ToolInput: json.RawMessage(`{"todos":["x",{"content":"c","status":1}]}`), Todos: []agent.TodoItem{{Content: "c"}}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := agenttest.Claude().Decode(row.verb, []byte(row.payload), agenttest.HookTime)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Warnings) != row.warnings {
				t.Errorf("warnings %q, want %d", got.Warnings, row.warnings)
			}
			want := row.want
			for _, w := range claude.New().Words {
				if w.Word == row.verb {
					want.Type = w.Is
				}
			}
			want.Agent, want.AgentType, want.SessionID = "claude-code", agent.AgentTypeClaudeCode, agenttest.Session(t, "s1")
			want.Time, want.Warnings = agenttest.HookTime, got.Warnings
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
		"unknown verb":        {"pre-" + long, `{"session_id":"s1"}`, "unknown hook verb"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ev, err := agenttest.Claude().Decode(row.verb, []byte(row.payload), agenttest.HookTime)
			if err == nil || !strings.Contains(err.Error(), row.want) || len(err.Error()) > 300 {
				t.Fatalf("got %+v, error %v", ev, err)
			}
			if errors.Is(err, agent.ErrUnknownVerb) != strings.HasPrefix(row.verb, "pre-a") {
				t.Fatalf("unknown verb: %v", err)
			}
		})
	}
}

// Some models name calls with other characters: the guard's hook and that of a subagent work all the same.
func TestDecodeIDsOfOtherModels(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, use := range []string{"functions.Bash:0", "functions.Bash:1", "call_1|fc_1", "call_1/2", "../x"} {
		for _, verb := range []string{"pre-tool", "pre-task", "post-task", "post-todo"} {
			ev, err := agenttest.Claude().Decode(verb, []byte(`{"session_id":"s1","tool_use_id":"`+use+`","tool_input":{"command":"x"}}`), agenttest.HookTime)
			if err != nil || !strings.HasPrefix(ev.ToolUseID, "call-") || verb != "pre-tool" && !seen[ev.ToolUseID] {
				t.Errorf("%s of %s: %q, %v", verb, use, ev.ToolUseID, err)
			}
			seen[ev.ToolUseID] = true
		}
	}
	if len(seen) != 5 {
		t.Errorf("%v: two calls have one ID", seen)
	}
}

func TestTypeByLocation(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]agent.AgentType{
		"/home/a/.claude/projects/-x/s.jsonl":                    agent.AgentTypeClaudeCode,
		`C:\Users\a\.claude\projects\C--x\s.jsonl`:               agent.AgentTypeClaudeCode,
		"/home/a/.gemini/tmp/x/chats/s.jsonl":                    agent.AgentTypeGemini,
		"/home/a/.codex/sessions/2026/1/1/rollout.jsonl":         agent.AgentTypeCodex,
		"/srv/.copilot/session-state/.claude/projects/x/s.jsonl": agent.AgentTypeClaudeCode,
	} {
		if got, ok := agent.TypeByLocation(path); !ok || got != want {
			t.Errorf("%s: %q, %v", path, got, ok)
		}
	}
	for _, path := range []string{"", "/tmp/s.jsonl", "/home/a/claude/projects/s.jsonl"} {
		if got, ok := agent.TypeByLocation(path); ok {
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
	f.Add("pre-task", []byte(`{"session_id":"s1"}`))
	f.Fuzz(func(t *testing.T, verb string, data []byte) {
		ev, err := agenttest.Claude().Decode(verb, data, agenttest.HookTime)
		if err != nil {
			if !reflect.DeepEqual(ev, agent.Event{}) {
				t.Fatalf("an event beside %v: %+v", err, ev)
			}
			return
		}
		if reflect.DeepEqual(ev, agent.Event{}) {
			return // a call of no interest
		}
		if ev.SessionID.IsZero() || ev.AgentType == "" || ev.Agent == "" || ev.Type == "" {
			t.Fatalf("incomplete: %+v", ev)
		}
		if _, err := id.ParseToolUseID(ev.ToolUseID); err != nil {
			t.Fatal(err)
		}
		if ev.AgentID != "" && !jsontext.IsSafeName(ev.AgentID) {
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
