package opencode_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/internal/agenttest"
	"entire/agent/internal/base"
	"entire/agent/opencode"
)

// both are the two adapters of this package.
func both() []opencode.Adapter { return []opencode.Adapter{opencode.OpenCode(), opencode.Kilo()} }

// payload is what the plugin sends at a turn's end.
func payload(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "turn-end.json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDecode(t *testing.T) {
	t.Parallel()
	a := opencode.OpenCode()
	for verb, row := range map[string]struct {
		in   string
		want agent.Event
	}{
		"turn-start": {`{"version":1,"session_id":"ses_1","cwd":"/w","prompt":"\"say \\\"hi\\\" twice\"","model":"big-1","messages":[]}`,
			agent.Event{Type: agent.TurnStart, Prompt: `say "hi" twice`, Model: "big-1", Lines: []byte{}}},
		"turn-end": {`{"session_id":"ses_1","cwd":"/w","too_long":99}`, agent.Event{Type: agent.TurnEnd, Warnings: []string{"the conversation has 99 bytes: the plugin did not send it"}}},
		"task-end": {`{"session_id":"ses_1","cwd":"/w","agent_id":"ses_2","messages":[],"partial":true}`,
			agent.Event{Type: agent.TaskEnd, AgentID: "ses_2", OwnSession: true, Lines: []byte{}, Partial: true}},
		"said":      {`{"session_id":"ses_1","cwd":"/w","messages":[7,{"info":1}]}`, agent.Event{Type: agent.Said, Lines: []byte{}}},
		"pre-tool":  {`{"session_id":"ses_1","cwd":"/w","tool_name":"bash","tool_input":{"command":"ls"},"tool_use_id":"c1"}`, agent.Event{Type: agent.ToolStart, ToolName: "bash", ToolUseID: "c1", ToolInput: []byte(`{"command":"ls"}`)}},
		"post-tool": {`{"session_id":"ses_1","cwd":"/w","tool_name":"write","tool_input":7}`, agent.Event{Type: agent.ToolEnd, ToolName: "write", Warnings: []string{"tool_input is not an object: ignored"}}},
	} {
		got, err := a.Decode(verb, []byte(row.in), agenttest.HookTime)
		want := row.want
		want.Agent, want.AgentType, want.SessionID, want.Dir, want.Time = a.Name(), a.Type(), agenttest.Session(t, "ses_1"), "/w", agenttest.HookTime
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", verb, err, got, want)
		}
	}
	for _, verb := range a.Verbs() {
		for _, bad := range []string{"", "{", "[]", `{"session_id":"../x"}`, `{"messages":[]}`} {
			if _, err := a.Decode(verb, []byte(bad), agenttest.HookTime); err == nil {
				t.Errorf("%s accepts %q", verb, bad)
			}
		}
	}
	if _, err := a.Decode("nope", []byte("{}"), agenttest.HookTime); !errors.Is(err, agent.ErrUnknownVerb) {
		t.Error(err)
	}
}

func TestConversation(t *testing.T) {
	t.Parallel()
	ev, err := opencode.OpenCode().Decode("turn-end", payload(t), agenttest.HookTime)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for line := range bytes.Lines(ev.Lines) {
		order = append(order, opencode.OpenCode().MessageID(line))
		if bytes.Contains(line, []byte(`"summary"`)) || bytes.Contains(line, []byte(`"cost"`)) {
			t.Errorf("a line that changes later: %s", line)
		}
	}
	if got := strings.Join(order, " "); got != "msg_1 msg_2 msg_3 msg_4 msg_5 msg_6" {
		t.Errorf("order %s", got)
	}
	c := conversation.Read(opencode.AgentTypeOpenCode, ev.Lines)
	if !reflect.DeepEqual(c.Prompts, []string{"Add up the cart"}) || c.LastAssistant != "It is there." || c.Model != "big-1" || c.Version != "1.18.33" {
		t.Errorf("%+v", c)
	}
	if got := c.EditsSince(conversation.Mark{}); !reflect.DeepEqual(got, []string{"/home/dev/shop/cart.py", "/home/dev/shop/notes.md"}) {
		t.Errorf("edits %q", got)
	}
	if got, want := c.Usage(), (agent.TokenUsage{InputTokens: 7766 + 10 + 20 + 1, OutputTokens: 39 + 3 + 2 + 1, CacheReadTokens: 100, CacheCreationTokens: 2, ReasoningTokens: 5, APICallCount: 4}); got != want {
		t.Errorf("usage %+v", got)
	}
	if len(c.OpenCalls) > 0 || !reflect.DeepEqual(c.AgentIDs, []string{"ses_2"}) {
		t.Errorf("open %v, subagents %v", c.OpenCalls, c.AgentIDs)
	}
	lines := bytes.Split(ev.Lines, []byte("\n"))
	patched := conversation.ReadLine(opencode.AgentTypeOpenCode, lines[2]).Patched()
	if want := ([]conversation.Patched{{ToolUseID: "call_3", Path: "/home/dev/shop/cart.py", Added: []string{"    return sum(c)"}, Removed: []string{"    return 0"}}}); !reflect.DeepEqual(patched, want) {
		t.Errorf("patched %+v", patched)
	}
	want := "[User] Add up the cart\n\n[Assistant] Now.\n\n[Tool] write: /home/dev/shop/cart.py\n\n[Tool] bash: touch made.txt\n\n" +
		"[Tool] edit: /home/dev/shop/cart.py\n\n[Tool] read\n\n[Tool] task\n\n[Assistant] It is there.\n"
	if got := conversation.CondenseFrom(opencode.AgentTypeOpenCode, ev.Lines, 0, nil); got != want {
		t.Errorf("condensed %q", got)
	}
}

// The agent's program writes the members of a message in any order, and changes some when nothing is said.
func TestLinesStayTheSame(t *testing.T) {
	t.Parallel()
	lines := func(info string) string {
		ev, err := opencode.Kilo().Decode("turn-end", []byte(`{"session_id":"s","cwd":"/w","messages":[{"parts":[{"type":"text", "text":"a"}],"info":`+info+`}]}`), agenttest.HookTime)
		if err != nil {
			t.Fatal(err)
		}
		return string(ev.Lines)
	}
	one := lines(`{"id":"m","role":"user","sessionID":"s","time":{"created":1}}`)
	if other := lines(`{"sessionID":"s","summary":{"diffs":[1]},"role":"user","time":{"created":1}, "id":"m","cost":3}`); other != one || one == "" {
		t.Errorf("%s\n%s", one, other)
	}
}

func TestPromptsAsTyped(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"Add a greeting"`:    "Add a greeting",
		`"say \"hi\" now"`:    `say "hi" now`,
		`plain`:               "plain",
		`"quoted"`:            `"quoted"`, // one word: typed so
		`"a b" c "d e"`:       `"a b" c "d e"`,
		`"`:                   `"`,
		`""`:                  `""`,
		`"ends in \"`:         `"ends in \"`,
		"  \"Add a line\"\n ": "Add a line",
	} {
		line := `{"info":{"id":"m","role":"user"},"parts":[{"type":"text","text":` + quote(in) + `}]}`
		records, ok := opencode.OpenCode().Records([]byte(line))
		if !ok || len(records) != 1 || len(records[0].Parts) != 1 || records[0].Parts[0].Text != want {
			t.Errorf("%q: %+v, want %q", in, records, want)
		}
	}
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func TestInstallAndUninstall(t *testing.T) {
	t.Parallel()
	for _, a := range both() {
		path := a.Profile().HookFile()
		for _, opts := range []agent.InstallOptions{{}, {LocalDev: true}, {Tools: agent.ToolHooks{Shell: true, Changes: true, Before: []string{"it's \"odd\""}}}} {
			out, added, err := a.Install(path, nil, opts)
			if err != nil || added != 1 || !a.Installed(out) || bytes.Contains(out, []byte("{{")) {
				t.Fatalf("%d, %v: %s", added, err, out)
			}
			if again, added, err := a.Install(path, out, opts); err != nil || added != 0 || !bytes.Equal(again, out) {
				t.Errorf("again: %d, %v", added, err)
			}
			if rest, removed, err := a.Uninstall(path, out); err != nil || removed != 1 || rest != nil {
				t.Errorf("removed %d, %v: %s", removed, err, rest)
			}
		}
		const foreign = "export const Mine = async () => ({})\n"
		if _, _, err := a.Install(path, []byte(foreign), agent.InstallOptions{Force: true}); !errors.Is(err, base.ErrForeignFile) {
			t.Errorf("somebody else's plugin: %v", err)
		}
		if rest, removed, err := a.Uninstall(path, []byte(foreign)); err != nil || removed != 0 || string(rest) != foreign || a.Installed([]byte(foreign)) {
			t.Errorf("somebody else's plugin: %d, %v, %s", removed, err, rest)
		}
	}
}

// TestPluginIsValid lets a JavaScript engine parse the plugin, where there is one.
func TestPluginIsValid(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on PATH")
	}
	for _, a := range both() {
		text, _, err := a.Install("", nil, agent.InstallOptions{Tools: agent.ToolHooks{Shell: true}})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "entire.mjs")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(node, "--check", path).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", a.Name(), err, out)
		}
	}
}

func TestRemoved(t *testing.T) {
	t.Parallel()
	a := opencode.OpenCode()
	if got := string(a.Removed([]string{"msg_1", "msg_2"})); got != `{"removed":["msg_1","msg_2"]}`+"\n" {
		t.Error(got)
	}
	if got := a.Removed(nil); got != nil {
		t.Errorf("%s", got)
	}
}

func FuzzRecords(f *testing.F) {
	ev, err := opencode.OpenCode().Decode("turn-end", payload(f), agenttest.HookTime)
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(ev.Lines) {
		f.Add(bytes.TrimSpace(line))
	}
	f.Add([]byte(`{"info":{"role":"assistant","time":{"created":1e300},"tokens":{"input":-1}},"parts":[{"type":"tool","state":{"status":"completed","metadata":{"files":[{"diff":"@@\n+"}]}}}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		a := opencode.OpenCode()
		one, ok := a.Records(line)
		two, again := a.Records(bytes.Clone(line))
		if ok != again || !reflect.DeepEqual(one, two) {
			t.Errorf("%+v and %+v", one, two)
		}
		conversation.Read(a.Type(), line)
	})
}

func FuzzLines(f *testing.F) {
	f.Add(payload(f))
	f.Add([]byte(`{"session_id":"s","messages":[{"info":{},"parts":{}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		ev, err := opencode.Kilo().Decode("turn-end", data, agenttest.HookTime)
		if err != nil {
			return
		}
		for line := range bytes.Lines(ev.Lines) {
			if !gjson.ValidBytes(line) {
				t.Errorf("not a line of JSON: %q", line)
			}
		}
	})
}

func TestSaidSoFar(t *testing.T) {
	t.Parallel()
	message := func(id string) string { return `{"info":{"id":"` + id + `","role":"user"},"parts":[]}` }
	said, err := opencode.OpenCode().SaidSoFar([]byte(`{"session_id":"ses_1","messages":[`+message("m1")+`,`+message("m2")+`],"running":[`+message("m3")+`]}`),
		func(id string) bool { return id == "m1" })
	if err != nil || said.Session != agenttest.Session(t, "ses_1") || bytes.Count(said.Lines, []byte("\n")) != 1 || !bytes.Contains(said.Lines, []byte(`"m2"`)) ||
		!bytes.Contains(said.Running, []byte(`"m3"`)) {
		t.Errorf("%v: %s %q %q", err, said.Session, said.Lines, said.Running)
	}
	for _, answer := range []string{"", "[]", `{"messages":[],"running":[]}`, `{"session_id":"ses_1","messages":[]}`, `{"session_id":"../x","messages":[],"running":[]}`} {
		if said, err := opencode.OpenCode().SaidSoFar([]byte(answer), func(string) bool { return false }); err == nil {
			t.Errorf("%q tells %+v", answer, said)
		}
	}
}

func FuzzSaidSoFar(f *testing.F) {
	f.Add([]byte(`{"session_id":"s","messages":[{"info":{},"parts":{}}],"running":[{"info":{"time":{"created":1}}}]}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		said, err := opencode.Kilo().SaidSoFar(answer, func(string) bool { return false })
		if err != nil {
			return
		}
		for line := range bytes.Lines(append(said.Lines, said.Running...)) {
			if !gjson.ValidBytes(line) {
				t.Errorf("not a line of JSON: %q", line)
			}
		}
	})
}
