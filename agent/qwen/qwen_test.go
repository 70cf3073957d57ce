package qwen_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/internal/agenttest"
	"entire/agent/qwen"
)

const (
	session    = "5f0c2a7e-1111-4222-8333-0123456789ab"
	transcript = "/home/dana/.qwen/projects/-home-dana-shop/chats/" + session + ".jsonl"
	helper     = "general-purpose-call_a1"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDecode(t *testing.T) {
	t.Parallel()
	call := agent.Event{ToolName: "agent", ToolUseID: "call_a1", SubagentType: "general-purpose", Description: "Write notes",
		ToolInput: []byte(`{"prompt":"Write the notes","description":"Write notes","subagent_type":"general-purpose"}`)}
	started, ended, launched := call, call, call
	started.Type, ended.Type, launched.Type = agent.TaskStart, agent.TaskEnd, agent.TaskStart
	launched.AgentID, launched.Launched = helper, true
	shell := agent.Event{Type: agent.ToolStart, ToolName: "run_shell_command", ToolUseID: "call_b2", ToolInput: []byte(`{"command":"git commit -qm x"}`)}
	ran := shell
	ran.Type = agent.ToolEnd
	none := agent.Event{}
	agenttest.DecodeAll(t, qwen.New(), read(t, "payloads.jsonl"), []agent.Event{
		{Type: agent.SessionStart, Source: "resume", Model: "qwen3-coder"},
		{Type: agent.TurnStart, Prompt: "Add a cart"},
		none, // the prompt of the same turn again
		shell,
		ran,
		started,
		{Type: agent.TaskStart, AgentID: helper, SubagentType: "general-purpose"},
		none, // likewise, of a subagent
		{Type: agent.TaskEnd, AgentID: helper, Answer: "Done.", SubagentType: "general-purpose"},
		ended,
		launched,
		{Type: agent.Todo, ToolName: "todo_write", ToolUseID: "call_c3", Todos: []agent.TodoItem{{Content: "Cut", Status: "in_progress"}},
			ToolInput: []byte(`{"todos":[{"id":"1","content":"Cut","status":"in_progress"}]}`)},
		{Type: agent.TurnEnd, BackgroundTasks: []string{helper}, Answer: "Ready."},
		{Type: agent.TurnEnd, BackgroundTasks: []string{}},
		{Type: agent.TurnEnd},
		{Type: agent.TurnContinues, Ended: []string{helper}},
		{Type: agent.SessionEnd, Reason: "prompt_input_exit"},
	}, func(ev *agent.Event) {
		ev.AgentType, ev.SessionID, ev.TranscriptPath, ev.Dir, ev.Mode = agent.AgentTypeQwen, agenttest.Session(t, session), transcript, "/home/dana/shop", "yolo"
	})
}

func TestHooks(t *testing.T) {
	t.Parallel()
	agenttest.RoundTrips(t, qwen.New())
	for src, want := range map[string]bool{"": false, `{"disableAllHooks":true}`: true, `{"disableAllHooks":false}`: false, "{": false} {
		if got := qwen.New().SwitchedOff([]byte(src)); got != want {
			t.Errorf("SwitchedOff(%q) = %v", src, got)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	a, sid := qwen.New(), agenttest.Session(t, session)
	if got := a.TranscriptPath("/home/dana", "/home/dana/shop", sid); got != transcript {
		t.Errorf("TranscriptPath = %s", got)
	}
	want := []string{"/home/dana/.qwen/projects/-home-dana-shop/subagents/" + session + "/agent-" + helper + ".jsonl"}
	if got := a.SubagentTranscripts(transcript, sid, helper); !reflect.DeepEqual(got, want) {
		t.Errorf("SubagentTranscripts = %s", got)
	}
	if got := a.SubagentTranscripts(transcript, sid, "../up"); got != nil {
		t.Errorf("an unsafe ID gives %s", got)
	}
	if of, ok := agent.TypeByLocation(transcript); !ok || of != agent.AgentTypeQwen {
		t.Errorf("the transcript's place is that of %s", of)
	}
	if got := a.ResumeCommand(sid); got != "qwen --resume "+session {
		t.Errorf("ResumeCommand = %s", got)
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	got := agenttest.RecordsOf(t, qwen.New(), read(t, "transcript.jsonl"))
	parts := func(i int) []agent.Part { return got[i].Parts }
	if !got[0].NoParent || got[0].Role != agent.RoleUser || got[0].Injected || got[1].Role != "" || got[1].Usage != nil || got[2].Parent != "u2" {
		t.Errorf("the first records are %+v", got[:3])
	}
	if p := parts(2); p[0].Kind != agent.ThoughtPart || p[1].Text != "I begin." || !reflect.DeepEqual(p[2].Call.Edits, []agent.Edit{{Path: "/home/dana/shop/cart.py", Texts: []string{"items = []\n"}}}) {
		t.Errorf("the first answer is %+v", p)
	}
	if p := parts(3); p[0].Failed || p[0].CallID != "call_1" || !reflect.DeepEqual(p[0].Edits, []agent.Edit{{Path: "/home/dana/shop/cart.py", Texts: []string{"items = []\n"}}}) {
		t.Errorf("the first result is %+v", p)
	}
	if p := parts(4); p[0].Call.Edits[0].Replaced[0] != "[]" || p[1].Call.Command != "echo a > a.txt" || p[2].Call.Files[0] != "/home/dana/shop/cart.py" {
		t.Errorf("the calls are %+v", p)
	}
	if p := parts(5); !p[0].Failed || p[0].Text != "not found" {
		t.Errorf("the failed result is %+v", p)
	}
	if !parts(6)[0].Call.Starts || !reflect.DeepEqual(parts(7)[0].AgentIDs, []string{"general-purpose-call_5"}) {
		t.Errorf("the subagent is %+v, %+v", parts(6), parts(7))
	}
	if !got[9].Injected {
		t.Error("a notification counts as typed")
	}
}

func TestConversation(t *testing.T) {
	t.Parallel()
	c := conversation.Conversation{Agent: agent.AgentTypeQwen}
	agent.EachFinalLine(read(t, "transcript.jsonl"), func(line []byte) { c.AddLine(line) })
	if !reflect.DeepEqual(c.Prompts, []string{"Add a cart"}) || c.Model != "qwen3-coder" || c.Version != "0.24.4" || c.LastAssistant != "Ready." {
		t.Errorf("the conversation is %+v", c)
	}
	want := agent.TokenUsage{InputTokens: 1007 + 82 + 100 + 100, CacheReadTokens: 311 + 1318 + 1400 + 1500, OutputTokens: 41 + 30 + 10 + 5, ReasoningTokens: 10, APICallCount: 4}
	if got := c.Usage(); got != want {
		t.Errorf("the usage is %+v, not %+v", got, want)
	}
	if len(c.AgentIDs) != 1 {
		t.Errorf("the subagents are %v", c.AgentIDs)
	}
}

func FuzzRecords(f *testing.F) { agenttest.FuzzReader(f, qwen.New(), read(f, "transcript.jsonl")) }
