package claude_test

import (
	"reflect"
	"testing"

	"entire/agent"
	"entire/agent/internal/agenttest"
)

// TestBackgroundSubagents decodes what Claude Code 2.1.330 sends: its payloads, cut to what
// is read.
func TestBackgroundSubagents(t *testing.T) {
	t.Parallel()
	const s = `{"session_id":"s1","transcript_path":"/home/dev/.claude/projects/-p/s1.jsonl",`
	base := agent.Event{Agent: agent.AgentNameClaudeCode, AgentType: agent.AgentTypeClaudeCode, SessionID: agenttest.Session(t, "s1"), TranscriptPath: "/home/dev/.claude/projects/-p/s1.jsonl", Time: agenttest.HookTime}
	for name, row := range map[string]struct {
		verb, payload string
		want          agent.Event
	}{
		"launched": {"post-task", s + `"tool_name":"Agent","tool_use_id":"toolu_1","tool_input":{"description":"Write notes","subagent_type":"general-purpose"},"tool_response":{"isAsync":true,"status":"async_launched","agentId":"a8"}}`,
			agent.Event{Type: agent.TaskStart, Launched: true, ToolName: "Agent", ToolUseID: "toolu_1", AgentID: "a8", SubagentType: "general-purpose", Description: "Write notes"}},
		"answered at once": {"post-task", s + `"tool_name":"Agent","tool_use_id":"toolu_1","tool_input":{"subagent_type":"x"},"tool_response":{"status":"completed","agentId":"a8"}}`,
			agent.Event{Type: agent.TaskEnd, ToolName: "Agent", ToolUseID: "toolu_1", AgentID: "a8", SubagentType: "x"}},
		"began":         {"subagent-start", s + `"agent_id":"a8","agent_type":"general-purpose"}`, agent.Event{Type: agent.TaskStart, AgentID: "a8", SubagentType: "general-purpose"}},
		"ended":         {"subagent-stop", s + `"agent_id":"a8","agent_type":"general-purpose","background_tasks":[]}`, agent.Event{Type: agent.TaskEnd, AgentID: "a8", SubagentType: "general-purpose"}},
		"stop beside":   {"stop", s + `"background_tasks":[{"id":"a8","type":"subagent","status":"running"},{"id":"b1","type":"shell","status":"running"},{"id":"a9","type":"subagent","status":"completed"}]}`, agent.Event{Type: agent.TurnEnd, BackgroundTasks: []string{"a8"}}},
		"stop of all":   {"stop", s + `"background_tasks":[]}`, agent.Event{Type: agent.TurnEnd, BackgroundTasks: []string{}}},
		"an older stop": {"stop", s + `"stop_hook_active":false}`, agent.Event{Type: agent.TurnEnd}},
		"notified": {"user-prompt-submit", s + `"prompt":"<task-notification>\n<task-id>a8</task-id>\n<status>completed</status>\n</task-notification>\n<task-notification><task-id>a9</task-id></task-notification>"}`,
			agent.Event{Type: agent.TurnContinues, Ended: []string{"a8", "a9"}}},
		"asked about one": {"user-prompt-submit", s + `"prompt":"what is <task-notification>?"}`, agent.Event{Type: agent.TurnStart, Prompt: "what is <task-notification>?"}},
		"an image alone":  {"user-prompt-submit", s + `"prompt":""}`, agent.Event{Type: agent.TurnStart}},
	} {
		got, err := agenttest.Claude().Decode(row.verb, []byte(row.payload), agenttest.HookTime)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := row.want
		want.Agent, want.AgentType, want.SessionID, want.TranscriptPath, want.Time = base.Agent, base.AgentType, base.SessionID, base.TranscriptPath, base.Time
		got.ToolInput = nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, want)
		}
	}
}

// TestCopilotRunsTheHooksOfClaudeCode decodes what Copilot CLI 1.0.102 sends where it reads
// .claude/settings.json: no tool_use_id, hardly ever a transcript, and subagents with
// sessions of their own.
func TestCopilotRunsTheHooksOfClaudeCode(t *testing.T) {
	t.Parallel()
	const (
		parent = `"timestamp":"2026-11-24T09:14:24.016Z","cwd":"/p","session_id":"e9"`
		child  = `"timestamp":"2026-11-24T09:14:25.151Z","cwd":"/p","session_id":"95","agent_id":"95","agent_type":"general-purpose","parent_agent_id":"e9"`
		path   = `"transcript_path":"/home/dev/.copilot/session-state/e9/events.jsonl"`
	)
	for _, row := range []struct {
		verb, payload string
		want          agent.Event
	}{
		{"session-start", `{` + parent + `,"source":"new","initial_prompt":"Go"}`, agent.Event{Type: agent.SessionStart, Source: "new"}},
		{"user-prompt-submit", `{` + parent + `,"prompt":"Go"}`, agent.Event{Type: agent.TurnStart, Prompt: "Go"}},
		{"pre-task", `{` + parent + `,"tool_name":"Agent","tool_input":{"agent_type":"general-purpose"}}`, agent.Event{}},
		{"user-prompt-submit", `{` + child + `,"prompt":"Write notes"}`, agent.Event{Type: agent.TaskStart, AgentID: "95", SubagentType: "general-purpose", Description: "Write notes", Launched: true, OwnSession: true}},
		{"post-tool", `{` + child + `,"tool_name":"Write","tool_input":{"path":"/p/n"}}`, agent.Event{Type: agent.ToolEnd, AgentID: "95", ToolName: "Write"}},
		{"pre-task", `{` + child + `,"tool_name":"Agent","tool_input":{}}`, agent.Event{}},
		{"stop", `{` + child + `,` + path + `}`, agent.Event{Type: agent.TaskEnd, AgentID: "95", SubagentType: "general-purpose", OwnSession: true}},
		{"subagent-stop", `{` + parent + `,"agent_id":"95","agent_type":"general-purpose","parent_agent_id":"e9",` + path + `}`, agent.Event{Type: agent.TaskEnd, AgentID: "95", SubagentType: "general-purpose"}},
		{"post-task", `{` + parent + `,"tool_name":"Agent","tool_input":{},"tool_result":{"result_type":"success"}}`, agent.Event{}},
		{"stop", `{` + parent + `,` + path + `}`, agent.Event{Type: agent.TurnEnd}},
		{"session-end", `{` + parent + `,"reason":"complete"}`, agent.Event{Type: agent.SessionEnd, Reason: "complete"}},
	} {
		got, err := agenttest.Claude().Decode(row.verb, []byte(row.payload), agenttest.HookTime)
		if err != nil {
			t.Fatalf("%s %s: %v", row.verb, row.payload, err)
		}
		want := row.want
		if want.Type != "" {
			if got.AgentType != agent.AgentTypeCopilot || got.SessionID != agenttest.Session(t, "e9") {
				t.Errorf("%s %s: %s of session %s", row.verb, row.payload, got.AgentType, got.SessionID)
			}
			want.Agent, want.AgentType, want.SessionID, want.Dir, want.Time = agent.AgentNameClaudeCode, agent.AgentTypeCopilot, agenttest.Session(t, "e9"), "/p", agenttest.HookTime
		}
		got.ToolInput, got.TranscriptPath = nil, ""
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s %s:\ngot  %+v\nwant %+v", row.verb, row.payload, got, want)
		}
	}
}
