package conversation_test

import (
	"fmt"
	"testing"

	"entire/agent"
	"entire/agent/conversation"
)

// TestFailedEdits checks that an edit call that failed names no file, and that the edits before it stay.
func TestFailedEdits(t *testing.T) {
	t.Parallel()
	call := func(id, path string) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":"a%s","message":{"id":"m%s","content":[{"type":"tool_use","id":%q,"name":"Edit","input":{"file_path":%q,"old_string":"a","new_string":"b"}}]}}`, id, id, id, path)
	}
	result := func(id string, failed bool) string {
		return fmt.Sprintf(`{"type":"user","uuid":"r%s","message":{"content":[{"type":"tool_result","tool_use_id":%q,"is_error":%v,"content":"said"}]}}`, id, id, failed)
	}
	for _, c := range []struct {
		name, want string
		lines      []string
	}{
		{"refused", "[]", []string{call("1", "/r/a"), result("1", true)}},
		{"made", "[{/r/a 1}]", []string{call("1", "/r/a"), result("1", false)}},
		{"made, then refused", "[{/r/a 1} {/r/b 3}]", []string{call("1", "/r/a"), result("1", false), call("2", "/r/b"), result("2", false), call("3", "/r/a"), result("3", true)}},
		{"refused, then made", "[{/r/a 3}]", []string{call("1", "/r/a"), result("1", true), call("2", "/r/a"), result("2", false)}},
		{"no result yet", "[{/r/a 1}]", []string{call("1", "/r/a")}},
	} {
		conv := conversation.NewConversation(agent.AgentTypeClaudeCode)
		for _, line := range c.lines {
			conv.AddLine([]byte(line))
		}
		if got := fmt.Sprint(conv.Edits); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
