package conversation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/claude"
	"entire/agent/conversation"
	"entire/agent/internal/agenttest"
)

// TestToolHooks: only what is asked for is installed, a change of that changes it, and
// taking everything out leaves the settings byte for byte.
func TestToolHooks(t *testing.T) {
	t.Parallel()
	places := func(text []byte) string {
		var out []string
		for _, h := range [][2]string{{"PreToolUse", "pre-tool"}, {"PostToolUse", "post-tool"}} {
			list, err := claude.New().Hooks.PlacesOf(text, h[0], h[1])
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range list {
				out = append(out, h[1]+" "+p[0])
			}
		}
		return strings.Join(out, ", ")
	}
	shell := agent.ToolHooks{Shell: true}
	all := agent.ToolHooks{Before: []string{"Write", "Bash"}, After: []string{"mcp__db__query"}, Shell: true, Changes: true}
	for name, src := range map[string]string{
		"nothing": "", "empty": "{}\n", "others": `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]}]},"model":"x"}`,
		"one empty": "{\n  \"hooks\": {\n    \"PostToolUse\": []\n  }\n}\n",
	} {
		var in []byte
		if src != "" {
			in = []byte(src)
		}
		text := in
		for _, row := range []struct {
			tools agent.ToolHooks
			want  string
		}{
			{agent.ToolHooks{}, ""}, {shell, "pre-tool Bash"}, {shell, "pre-tool Bash"},
			{all, "pre-tool Bash|Write, post-tool Bash|Edit|MultiEdit|NotebookEdit|Write|mcp__db__query"},
			{agent.ToolHooks{Changes: true}, "post-tool Bash|Edit|MultiEdit|NotebookEdit|Write"}, {agent.ToolHooks{}, ""}, {all, "pre-tool Bash|Write, post-tool Bash|Edit|MultiEdit|NotebookEdit|Write|mcp__db__query"},
		} {
			opts := agent.InstallOptions{Tools: row.tools}
			var err error
			if text, _, err = agenttest.Claude().Install("", text, opts); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := places(text); got != row.want || !json.Valid(text) {
				t.Errorf("%s: %q, want %q", name, got, row.want)
			}
			if again, n, err := agenttest.Claude().Install("", text, opts); err != nil || n != 0 || string(again) != string(text) {
				t.Errorf("%s: as it should be, and changed by %d, %v:\n%s\n%s", name, n, err, text, again)
			}
			if strings.Contains(src, "mine") && !strings.Contains(string(text), `"mine"`) {
				t.Errorf("%s: another's hook is gone", name)
			}
		}
		back, _, err := agenttest.Claude().Uninstall("", text)
		if err != nil || string(back) != src {
			t.Errorf("%s: taken out it is %q, want %q, %v", name, back, src, err)
		}
	}
}

func TestShellCommand(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"command":"ls -l"}`:                "ls -l",
		`{"command":["bash","-c","rm 'x'"]}`: `'bash' '-c' 'rm '\''x'\'''`,
		`{"file_path":"/a"}`:                 "",
		``:                                   "",
		`{"command":null}`:                   "",
		`{"command":{"x":1}}`:                `{"x":1}`,
	} {
		if got := (agent.Event{ToolInput: json.RawMessage(input)}).ShellCommand(); got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}

func TestCountMessages(t *testing.T) {
	t.Parallel()
	lines := `{"type":"user","message":{"content":"a"}}
{"type":"assistant","message":{"id":"m1","content":[]}}
{"type":"assistant","message":{"id":"m1","content":[]}}
{"type":"system"}
not json
{"type":"assistant","message":{"id":"m2"}}
{"type":"user"`
	n, read := conversation.CountMessages(agent.AgentTypeClaudeCode, []byte(lines))
	if n != 3 || read != strings.LastIndex(lines, "\n")+1 {
		t.Errorf("%d messages in %d bytes", n, read)
	}
	if n, _ := conversation.CountMessages(agent.AgentTypeGemini, []byte(`{"id":"1","type":"user"}`+"\n"+`{"id":"2","type":"gemini"}`+"\n"+`{"id":"2","type":"gemini"}`+"\n"+`{"$set":{}}`+"\n")); n != 2 {
		t.Errorf("%d of Gemini", n)
	}
	if n, _ := conversation.CountMessages(agent.AgentTypeUnknown, []byte(`{"role":"user","content":"x"}`+"\n")); n != 1 {
		t.Errorf("%d of another", n)
	}
}
