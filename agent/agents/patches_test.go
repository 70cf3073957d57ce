package agents_test

import (
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/cline"
	"entire/agent/conversation"
)

// TestPatches: agents give models of OpenAI a tool for patches in the place of their own editing tools.
func TestPatches(t *testing.T) {
	t.Parallel()
	patch := `"*** Begin Patch\n*** Add File: a.py\n+a = 1\n*** Update File: b.py\n@@\n-b = 1\n+b = 2\n*** End Patch"`
	for _, row := range []struct {
		of   agent.AgentType
		line string
	}{
		{agent.AgentTypeDroid, `{"type":"message","id":"m","message":{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"ApplyPatch","input":{"input":PATCH}}]}}`},
		{cline.AgentType, `{"message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"c","name":"apply_patch","input":{"input":PATCH}}]}}`},
		{cline.AgentType, `{"message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"c","name":"apply_patch","input":PATCH}]}}`},
		{agent.AgentTypeCopilot, `{"type":"assistant.message","data":{"toolRequests":[{"toolCallId":"c","name":"apply_patch","arguments":PATCH}]},"id":"m"}`},
		{agent.AgentTypeCodex, `{"type":"response_item","payload":{"type":"custom_tool_call","id":"m","call_id":"c","name":"apply_patch","input":PATCH}}`},
	} {
		writes := conversation.ReadLine(row.of, []byte(strings.Replace(row.line, "PATCH", patch, 1))).Writes()
		if len(writes) != 2 || writes[0].Path != "a.py" || writes[1].Path != "b.py" {
			t.Errorf("%s: %+v", row.of, writes)
		}
	}
}
