package agents_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/gemini"
	"entire/agent/generic"
	"entire/agent/internal/agenttest"
	"entire/id"
)

func TestCleanPrompt(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" hi\n":          "hi",
		"a < b && c > d": "a < b && c > d",
		"<b>bold</b>":    "<b>bold</b>",
		"<system-reminder>x\ny</system-reminder>":                         "",
		"a <ide_opened_file>x</ide_opened_file> b":                        "a  b",
		"<ide_selection>1<2</ide_selection>do it":                         "do it",
		"<command-name>/x</command-name><command-args>y</command-args> z": "z",
		"<system-reminder>open":                                           "<system-reminder>open",
		"<ide_":                                                           "<ide_",
		"<ide_x>a</ide_x":                                                 "<ide_x>a</ide_x",
		"<system-reminder>a</system-reminder>b</system-reminder>":         "b</system-reminder>",
		"<local-command-stdout></local-command-stdout>ok":                 "ok",
		"<": "<",
	} {
		if got := agent.CleanPrompt(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	// Linear in what was never closed.
	many := strings.Repeat("<ide_x><system-reminder>", 50_000)
	if got := agent.CleanPrompt(many); got != many {
		t.Error("unclosed tags are not kept")
	}
}

func TestShortPrompt(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		in    string
		runes int
		want  string
	}{
		{" a \n b ", 10, "a b"},
		{"1234567890", 10, "1234567890"},
		{"12345678901", 10, "1234567..."},
		{"123456 8901", 10, "123456..."},
		{"üüüüüüüüüüü", 10, "üüüüüüü..."},
		{"abcdef", 3, "abc"},
		{"abcdef", 0, ""},
	} {
		if got := agent.ShortPrompt(row.in, row.runes); got != row.want {
			t.Errorf("%q in %d: %q, want %q", row.in, row.runes, got, row.want)
		}
	}
}

func TestCondense(t *testing.T) {
	t.Parallel()
	transcript := strings.Join([]string{
		`{"type":"user","message":{"content":"fix it"}}`,
		`{"type":"user","message":{"content":[{"type":"text","text":"Base directory for this skill: /x"}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":" Looking.\n"}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Read","input":{"description":"no","file_path":"/a"}}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"ls","description":"List"}}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Skill","input":{"skill":"pdf"}},{"type":"tool_use","name":"WebFetch","input":{"url":"https://x"}}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Grep","input":{"pattern":"p"}},{"type":"tool_use","name":"Odd","input":5}]}}`,
		`{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"inner"}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","content":"x"}]}}`,
		`{"torn`,
	}, "\n")
	want := "[User] fix it\n\n[Assistant] Looking.\n\n[Tool] Read: /a\n\n[Tool] Bash: ls\n\n[Tool] Skill: pdf\n\n[Tool] WebFetch: https://x\n\n[Tool] Grep: p\n\n[Tool] Odd\n"
	if got := conversation.CondenseFrom(agent.AgentTypeUnknown, []byte(transcript), 0, nil); got != want {
		t.Errorf("got %q", got)
	}
	if got := conversation.CondenseFrom(agent.AgentTypeUnknown, []byte(transcript), 0, []string{"a.go", "b.go"}); got != want+"\n[Files Modified]\n- a.go\n- b.go\n" {
		t.Errorf("with files: %q", got)
	}
	if got := conversation.CondenseFrom(agent.AgentTypeUnknown, nil, 0, nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

func TestStartMessage(t *testing.T) {
	t.Parallel()
	const title = "\n\nPowered by Entire:\n  "
	const more = "\n  Use 'entire status' for more information."
	for _, row := range []struct {
		own    bool
		others int
		want   string
	}{
		{true, 0, "This conversation will be linked to your next commit."},
		{true, 2, "This conversation will be linked to your next commit.\n  2 other active conversation(s) in this workspace will also be included." + more},
		{false, 2, "2 active conversation(s) in this workspace will be linked to your next commit." + more},
	} {
		out := agent.StartMessage(row.own, row.others)
		var got map[string]string
		if err := json.Unmarshal(out, &got); err != nil || !reflect.DeepEqual(got, map[string]string{"systemMessage": title + row.want}) {
			t.Errorf("%v: %q, %v", row, out, err)
		}
		if out[len(out)-1] != '\n' {
			t.Errorf("%v: no newline", row)
		}
	}
	if out := agent.StartMessage(false, 0); out != nil {
		t.Errorf("with nothing to link: %q", out)
	}
}

func TestClaudePaths(t *testing.T) {
	t.Parallel()
	sid := agenttest.Session(t, "s1")
	for top, want := range map[string]string{
		"/home/dev/my_shop.git": "/h/.claude/projects/-home-dev-my-shop-git/s1.jsonl",
		"/ü/😀":                  "/h/.claude/projects/-----/s1.jsonl", // as JavaScript counts characters
	} {
		if got := agenttest.Claude().TranscriptPath("/h", top, sid); got != want {
			t.Errorf("%s: %s", top, got)
		}
	}
	if got := agenttest.Claude().ResumeCommand(sid); got != "claude -r s1" {
		t.Error(got)
	}
	for _, row := range []struct {
		session id.SessionID
		agentID string
		want    []string
	}{
		{sid, "a1", []string{"/p/s1/subagents/agent-a1.jsonl", "/p/agent-a1.jsonl"}},
		{id.SessionID{}, "a1", []string{"/p/agent-a1.jsonl"}},
		{sid, "../a", nil},
		{sid, "", nil},
		{sid, strings.Repeat("a", 300), nil},
	} {
		if got := agenttest.Claude().SubagentTranscripts("/p/s1.jsonl", row.session, row.agentID); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%q: %q", row.agentID, got)
		}
	}
}

func TestAgentsAreFound(t *testing.T) {
	t.Parallel()
	names, types := map[agent.AgentName]bool{}, map[agent.AgentType]bool{}
	for _, a := range agents.All() {
		if got, ok := agents.Lookup(a.Name()); !ok || got.Type() != a.Type() {
			t.Errorf("%s is not found by name", a.Name())
		}
		if got, ok := agents.ByType(a.Type()); !ok || got.Name() != a.Name() {
			t.Errorf("%s is not found by type", a.Type())
		}
		if names[a.Name()] || types[a.Type()] {
			t.Errorf("%s is there twice", a.Name())
		}
		names[a.Name()], types[a.Type()] = true, true
	}
	if _, ok := agents.Lookup("nobody"); ok {
		t.Error("nobody is found")
	}
	if _, ok := agents.ByType("Somebody"); ok {
		t.Error("somebody is known")
	}
	if agents.For("Somebody") != (generic.Adapter{}) || agents.For(agent.AgentTypeGemini) != (gemini.New()) {
		t.Error("somebody is not a generic agent")
	}
}

func TestTokenUsage(t *testing.T) {
	t.Parallel()
	a := agent.TokenUsage{InputTokens: 1, CacheCreationTokens: 2, CacheReadTokens: 3, OutputTokens: 4, APICallCount: 5, SubagentTokens: nil}
	b := agent.TokenUsage{InputTokens: 10, CacheCreationTokens: 20, CacheReadTokens: 30, OutputTokens: 40, APICallCount: 50, SubagentTokens: &agent.TokenUsage{InputTokens: 7, APICallCount: 1}}
	sum := a.Add(b).Add(b)
	want := agent.TokenUsage{InputTokens: 21, CacheCreationTokens: 42, CacheReadTokens: 63, OutputTokens: 84, APICallCount: 105, SubagentTokens: &agent.TokenUsage{InputTokens: 14, APICallCount: 2}}
	if !reflect.DeepEqual(sum, want) || sum.Total() != 21+42+63+84+14 {
		t.Errorf("sum %+v, total %d", sum, sum.Total())
	}
	if b.SubagentTokens.InputTokens != 7 {
		t.Error("Add changed what it added")
	}
	out, err := json.Marshal(b)
	const wire = `{"input_tokens":10,"cache_creation_tokens":20,"cache_read_tokens":30,"output_tokens":40,"api_call_count":50,` +
		`"subagent_tokens":{"input_tokens":7,"cache_creation_tokens":0,"cache_read_tokens":0,"output_tokens":0,"api_call_count":1}}`
	if err != nil || string(out) != wire {
		t.Errorf("%s, %v", out, err)
	}
	for _, row := range []struct {
		u    agent.TokenUsage
		zero bool
	}{{agent.TokenUsage{}, true}, {agent.TokenUsage{SubagentTokens: &agent.TokenUsage{}}, true}, {a, false}, {agent.TokenUsage{SubagentTokens: &a}, false}} {
		if row.u.IsZero() != row.zero {
			t.Errorf("%+v is zero: %v", row.u, !row.zero)
		}
	}
}

func TestDoneTodo(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		todos []agent.TodoItem
		want  string
	}{
		{nil, ""},
		{[]agent.TodoItem{{Content: "a", Status: "pending"}, {Content: "b"}}, "Planning: 2 todos"},
		{[]agent.TodoItem{{Content: "a", Status: "completed"}, {Content: "b", Status: "completed"}, {Content: "c"}}, "b"},
	} {
		if got := agent.DoneTodo(row.todos); got != row.want {
			t.Errorf("%v: %q, want %q", row.todos, got, row.want)
		}
	}
}

func TestHookSwitches(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		of   agent.AgentType
		src  string
		want bool
	}{
		{agent.AgentTypeClaudeCode, `{"disableAllHooks": true}`, true},
		{agent.AgentTypeClaudeCode, `{"disableAllHooks": "true"}`, false},
		{agent.AgentTypeClaudeCode, `{"hooks": {"disableAllHooks": true}}`, false},
		{agent.AgentTypeClaudeCode, `{"disableAllHooks": true`, false},
		{agent.AgentTypeClaudeCode, "", false},
		{agent.AgentTypeGemini, `{"hooksConfig": {"enabled": false}}`, true},
		{agent.AgentTypeGemini, `{"hooksConfig": {"enabled": true}}`, false},
		{agent.AgentTypeGemini, `{"hooksConfig": false}`, false},
	} {
		a := agents.For(row.of).(agent.HookSwitch)
		if got := a.SwitchedOff([]byte(row.src)); got != row.want {
			t.Errorf("%s, %s: switched off %v", row.of, row.src, got)
		}
		if len(a.SwitchFiles()) == 0 {
			t.Errorf("%s has no file that switches its hooks off", row.of)
		}
	}
}
