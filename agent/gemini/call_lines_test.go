package gemini_test

import (
	"encoding/json"
	"testing"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/gemini"
)

func TestCallLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		event       agent.Event
		open, edits int
	}{
		{agent.Event{Type: agent.ToolStart, ToolName: "run_shell_command", ToolInput: json.RawMessage("{\n\"command\":\"make a \\\"b\\\"\"}")}, 1, 0},
		{agent.Event{Type: agent.ToolEnd, ToolName: "run_shell_command", ToolInput: json.RawMessage(`{"command":"make"}`)}, 0, 0},
		{agent.Event{Type: agent.ToolEnd, ToolName: "write_file", ToolInput: json.RawMessage(`{"file_path":"/w/a.txt","content":"x\n"}`)}, 0, 1},
	} {
		line := gemini.New().CallLine(tt.event, "told-1")
		c := conversation.NewConversation(agent.AgentTypeGemini)
		c.AddLine(line)
		if len(c.OpenCalls) != tt.open || len(c.EditsSince(conversation.Mark{})) != tt.edits {
			t.Errorf("%s: %+v", line, c)
		}
	}
	if line := gemini.New().CallLine(agent.Event{Type: agent.ToolEnd, ToolName: "write_file"}, "told-1"); line != nil {
		t.Errorf("a call without input is told as %s", line)
	}
}
