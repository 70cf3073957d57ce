package opencode_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/internal/agenttest"
	"entire/agent/opencode"
	"entire/internal/testrepo"
)

// plays runs a script of testdata with node: it loads the plugin that `enable` writes, and does what the agent's
// program does with it. It returns the events of the hooks that the plugin called, in their order.
func plays(t *testing.T, script string) []agent.Event {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on PATH")
	}
	a, dir := opencode.OpenCode(), t.TempDir()
	text, _, err := a.Install(a.Profile().HookFile(), nil, agent.InstallOptions{Tools: agent.ToolHooks{Shell: true}})
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "calls")
	// Stands for this program: it keeps what the plugin sends, and answers that a rewind took a message back.
	entire := "#!/bin/sh\nprintf '%s\\t%s\\n' \"$3\" \"$(cat)\" >>'" + log + "'\n[ \"$3\" = turn-start ] && echo '{\"removed\":[\"gone\"]}'\n" +
		"[ \"$3\" = pre-tool ] && case $(tail -1 '" + log + "') in *refused*) echo '{\"refuse\":\"not here\"}';; *) echo '{\"note\":\"saved as 1\"}';; esac\nexit 0\n"
	for name, content := range map[string]string{"entire.mjs": string(text), "bin/entire": entire} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		testrepo.WriteScript(t, path, content)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, filepath.Join("testdata", script), filepath.Join(dir, "entire.mjs"), dir)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", script, err, out)
	}
	calls, err := os.ReadFile(log)
	if err != nil {
		t.Fatalf("the plugin called nothing: %v", err)
	}
	var events []agent.Event
	for line := range strings.Lines(string(calls)) {
		verb, payload, _ := strings.Cut(line, "\t")
		ev, err := a.Decode(verb, []byte(payload), agenttest.HookTime)
		if err != nil || len(ev.Warnings) > 0 || ev.Dir != dir || ev.SessionID != agenttest.Session(t, "ses_1") {
			t.Fatalf("%s of %s in %s: %v %q: %s", verb, ev.SessionID, ev.Dir, err, ev.Warnings, payload)
		}
		events = append(events, ev)
	}
	return events
}

func typesOf(events []agent.Event) string {
	var types []string
	for _, ev := range events {
		types = append(types, string(ev.Type))
	}
	return strings.Join(types, " ")
}

func TestPluginInVersions1(t *testing.T) {
	t.Parallel()
	events := plays(t, "versions1.mjs")
	if got := typesOf(events); got != "turn-start tool-start tool-end tool-start turn-end turn-start turn-end task-end turn-goes-on turn-end" {
		t.Fatal(got)
	}
	if start := events[0]; start.Prompt != "Add up the cart" || start.Model != "big-1" {
		t.Errorf("%+v", start)
	}
	if call := events[1]; call.ToolName != "bash" || call.ToolUseID != "call_1" || string(call.ToolInput) != `{"command":"git commit -m x; rm -r old"}` {
		t.Errorf("%+v", call)
	}
	c := conversation.Read(opencode.AgentTypeOpenCode, events[4].Lines)
	if !reflect.DeepEqual(c.Prompts, []string{"Add up the cart"}) || c.LastAssistant != "It is there." || c.Version != "1.18.33" || events[4].Partial {
		t.Errorf("%+v", c)
	}
	if got := events[4].BackgroundTasks; got == nil || len(got) > 0 {
		t.Errorf("a turn without subagents has %q", got)
	}
	// The turn's end names the subagent that works on, and has nothing of it; its end brings that.
	parent, child, last := events[6], events[7], events[9]
	if !reflect.DeepEqual(parent.BackgroundTasks, []string{"ses_2"}) || strings.Contains(string(parent.Lines), "Write the notes") {
		t.Errorf("%q, %s", parent.BackgroundTasks, parent.Lines)
	}
	c = conversation.Read(opencode.AgentTypeOpenCode, child.Lines)
	if got := c.EditsSince(conversation.Mark{}); child.AgentID != "ses_2" || !child.OwnSession || !child.Partial || !reflect.DeepEqual(got, []string{"notes.md"}) {
		t.Errorf("%+v, edits %q", child, got)
	}
	c = conversation.Read(opencode.AgentTypeOpenCode, last.Lines)
	if len(last.BackgroundTasks) > 0 || c.LastAssistant != "All of it is done." || !reflect.DeepEqual(c.Prompts, []string{"Add up the cart", "Let a helper work"}) {
		t.Errorf("%q, %+v", last.BackgroundTasks, c)
	}
}

func TestPluginInVersions2(t *testing.T) {
	t.Parallel()
	events := plays(t, "versions2.mjs")
	if got := typesOf(events); got != "turn-start tool-start tool-end turn-end turn-start turn-end task-end turn-goes-on turn-end" {
		t.Fatal(got)
	}
	if parent := events[5]; !reflect.DeepEqual(parent.BackgroundTasks, []string{"ses_3"}) || strings.Contains(string(parent.Lines), "late.md") {
		t.Errorf("%q, %s", parent.BackgroundTasks, parent.Lines)
	}
	if child := events[6]; child.AgentID != "ses_3" || !child.Partial || !strings.Contains(string(child.Lines), "late.md") {
		t.Errorf("%+v", child)
	}
	if start := events[0]; start.Prompt != "Add up the cart" || start.Model != "big-2" || len(start.Lines) > 0 {
		t.Errorf("%+v", start)
	}
	if call := events[1]; call.ToolName != "shell" || call.ToolUseID != "call_5" || string(call.ToolInput) != `{"command":"git commit -qam x; rm -r old"}` {
		t.Errorf("%+v", call)
	}
	end := events[3]
	c := conversation.Read(opencode.AgentTypeOpenCode, end.Lines)
	if !reflect.DeepEqual(c.Prompts, []string{"Add up the cart"}) || c.LastAssistant != "It is there." || c.Model != "big-2" || c.Version != "2.0.24" || end.Partial {
		t.Errorf("%+v", c)
	}
	if got := c.EditsSince(conversation.Mark{}); !reflect.DeepEqual(got, []string{"cart.py", "notes.md"}) || !reflect.DeepEqual(c.AgentIDs, []string{"ses_2"}) {
		t.Errorf("edits %q, subagents %v", got, c.AgentIDs)
	}
	if got, want := c.Usage(), (agent.TokenUsage{InputTokens: 10, OutputTokens: 5, CacheReadTokens: 2, CacheCreationTokens: 3, ReasoningTokens: 1, APICallCount: 1}); got != want {
		t.Errorf("usage %+v", got)
	}
	last := conversation.Read(opencode.AgentTypeOpenCode, events[8].Lines)
	if !events[8].Partial || len(last.Prompts) > 0 || last.LastAssistant != "The tests passed." {
		t.Errorf("after a compaction: %v, %+v", events[8].Partial, last)
	}
}
