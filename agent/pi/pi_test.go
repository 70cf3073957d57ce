package pi_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/internal/agenttest"
	"entire/agent/internal/base"
	"entire/agent/pi"
)

func golden(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDecode(t *testing.T) {
	t.Parallel()
	agenttest.DecodeAll(t, pi.New(), golden(t, "payloads.jsonl"), []agent.Event{
		{Type: agent.SessionStart, Source: "startup"},
		{Type: agent.TurnStart, Prompt: "Add up the cart"},
		{Type: agent.ToolStart, ToolName: "bash", ToolUseID: "c1", ToolInput: []byte(`{"command":"ls"}`)},
		{Type: agent.ToolEnd, ToolName: "bash", ToolUseID: "c1", ToolInput: []byte(`{"command":"git commit"}`)},
		{Type: agent.TurnContinues},
		{Type: agent.TurnEnd},
		{Type: agent.SessionEnd, Reason: "quit"},
	}, func(ev *agent.Event) {
		ev.AgentType, ev.SessionID, ev.Dir, ev.TranscriptPath = agent.AgentTypePi, agenttest.Session(t, "s1"), "/w", "/h/.pi/agent/sessions/--w--/t_s1.jsonl"
	})
}

func TestConversation(t *testing.T) {
	t.Parallel()
	text := golden(t, "session.jsonl")
	agenttest.RecordsOf(t, pi.New(), text)
	c := conversation.Read(agent.AgentTypePi, text)
	if !reflect.DeepEqual(c.Prompts, []string{"Add up the cart", "Do it in another way"}) || c.LastAssistant != "It is there." || c.Model != "big-1" || len(c.OpenCalls) > 0 {
		t.Errorf("%+v", c)
	}
	if got := c.EditsSince(conversation.Mark{}); !reflect.DeepEqual(got, []string{"/home/dev/shop/cart.py", "cart.py"}) {
		t.Errorf("edits %q", got)
	}
	if got, want := c.Usage(), (agent.TokenUsage{InputTokens: 1436, OutputTokens: 35, CacheReadTokens: 10, CacheCreationTokens: 1, APICallCount: 3}); got != want {
		t.Errorf("usage %+v", got)
	}
	patched := conversation.ReadLine(agent.AgentTypePi, bytes.Split(text, []byte("\n"))[8]).Patched()
	if want := ([]conversation.Patched{{ToolUseID: "c3", Path: "cart.py", Added: []string{"    return sum(c)", ""}, Removed: []string{"    return 0"}}}); !reflect.DeepEqual(patched, want) {
		t.Errorf("patched %+v", patched)
	}
	want := "[User] Add up the cart\n\n[Assistant] Now.\n\n[Tool] write: /home/dev/shop/cart.py\n\n[Tool] bash: touch made.txt\n\n" +
		"[Tool] edit: cart.py\n\n[Tool] read\n\n[Assistant] It is there.\n\n[User] Do it in another way\n"
	if got := conversation.CondenseFrom(agent.AgentTypePi, text, 0, nil); got != want {
		t.Errorf("condensed %q", got)
	}
}

// A script's calls and the tokens of a tool's own models are in the line of the tool's result; summaries and warm caches cost
// tokens, too (pi 1.6).
func TestConversationOfScripts(t *testing.T) {
	t.Parallel()
	text := golden(t, "session-1.6.jsonl")
	records := agenttest.RecordsOf(t, pi.New(), text)
	parents := map[string]string{}
	for _, r := range records {
		parents[r.ID] = r.Parent
	}
	if parents["e5/calls"] != "e4" || parents["e5"] != "e5/calls" || parents["e6"] != "e5" {
		t.Errorf("parents %v", parents)
	}
	c := conversation.Read(agent.AgentTypePi, text)
	if !reflect.DeepEqual(c.Prompts, []string{"Add up the cart"}) || c.LastAssistant != "It is there." || len(c.OpenCalls) > 0 {
		t.Errorf("%+v", c)
	}
	want := agent.TokenUsage{InputTokens: 2435, OutputTokens: 125, CacheReadTokens: 5655, CacheCreationTokens: 20, APICallCount: 5, CacheCreationHourTokens: 15, ReasoningTokens: 7}
	if got := c.Usage(); got != want {
		t.Errorf("usage %+v", got)
	}
	told := "[User] Add up the cart\n\n[Tool] codemode\n\n[Tool] write: cart.py\n\n[Tool] bash: echo made > made.txt\n\n[Tool] edit: cart.py\n\n[Tool] write\n\n" +
		"[Assistant] It is there.\n"
	if got := conversation.CondenseFrom(agent.AgentTypePi, text, 0, nil); got != told {
		t.Errorf("condensed %q", got)
	}
}

// The second prompt branches off after the first.
func TestTreeOfMessages(t *testing.T) {
	t.Parallel()
	records := agenttest.RecordsOf(t, pi.New(), golden(t, "session.jsonl"))
	last := records[len(records)-1]
	if last.Parent != "e3" || last.Role != agent.RoleUser || !records[0].NoParent {
		t.Errorf("%+v", last)
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	a, sid := pi.New(), agenttest.Session(t, "01a20cce-229b")
	if got := a.Folders("/h", "/home/dev/my.shop", nil); !reflect.DeepEqual(got, []string{"/h/.pi/agent/sessions/--home-dev-my.shop--"}) {
		t.Error(got)
	}
	name := a.FileName(sid, golden(t, "session.jsonl"))
	if name != "2026-11-24T09-06-05-598Z_01a20cce-229b.jsonl" || !a.OwnsFile(name, sid) || a.OwnsFile("01a20cce-229b.jsonl", sid) {
		t.Error(name)
	}
	if got := a.FileName(sid, []byte(`{"timestamp":"../../x"}`)); filepath.Base(got) != got {
		t.Error(got)
	}
	if got, ok := agent.TypeByLocation("/h/.pi/agent/sessions/--w--/" + name); !ok || got != agent.AgentTypePi {
		t.Error(got)
	}
	if got := a.ResumeCommand(sid); got != "pi --session 01a20cce-229b" {
		t.Error(got)
	}
}

func TestInstallAndUninstall(t *testing.T) {
	t.Parallel()
	a := pi.New()
	path := a.Profile().HookFile()
	out, added, err := a.Install(path, nil, agent.InstallOptions{Tools: agent.ToolHooks{Shell: true, Changes: true}})
	if err != nil || added != 1 || !a.Installed(out) || bytes.Contains(out, []byte("{{")) || !bytes.Contains(out, []byte(`AFTER: string[] = ["bash","powershell","edit","write"]`)) {
		t.Fatalf("%d, %v: %s", added, err, out)
	}
	if rest, removed, err := a.Uninstall(path, out); err != nil || removed != 1 || rest != nil {
		t.Errorf("removed %d, %v: %s", removed, err, rest)
	}
	foreign := []byte("export default function () {}\n")
	if _, _, err := a.Install(path, foreign, agent.InstallOptions{Force: true}); !errors.Is(err, base.ErrForeignFile) {
		t.Errorf("somebody else's extension: %v", err)
	}
	if rest, removed, err := a.Uninstall(path, foreign); err != nil || removed != 0 || !bytes.Equal(rest, foreign) {
		t.Errorf("somebody else's extension: %d, %v", removed, err)
	}
}

func FuzzRecords(f *testing.F) {
	agenttest.FuzzReader(f, pi.New(), append(golden(f, "session.jsonl"), golden(f, "session-1.6.jsonl")...))
}

func TestRecognises(t *testing.T) {
	t.Parallel()
	if text := golden(t, "session.jsonl"); !pi.New().Recognises(text) || pi.New().Recognises(text[bytes.IndexByte(text, '\n')+1:]) {
		t.Error("not by its first line")
	}
}
