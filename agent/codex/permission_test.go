package codex

import (
	"testing"

	"entire/agent"
)

func TestPermissionIn(t *testing.T) {
	t.Parallel()
	denied := agent.Permission{Answer: agent.Denied, By: agent.ByPerson}
	for line, want := range map[string]agent.Permission{
		`{"type":"turn_context","payload":{"approval_policy":"on-request","sandbox_policy":{"type":"workspace-write"}}}`:              {Mode: "on-request/workspace-write"},
		`{"type":"turn_context","payload":{"approval_policy":"never"}}`:                                                               {Mode: "never"},
		`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"exec command rejected by user"}}`:   denied,
		`{"type":"response_item","payload":{"type":"custom_tool_call_output","output":{"content":"patch rejected by user"}}}`:         denied,
		`{"type":"response_item","payload":{"type":"message","content":[{"text":"\"turn_context\" exec command rejected by user"}]}}`: {},
		`"turn_context" rejected by user`: {},
	} {
		if got := (Adapter{}).PermissionIn([]byte(line)); got != want {
			t.Errorf("%s: %+v, want %+v", line, got, want)
		}
	}
}
