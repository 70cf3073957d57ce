package explaincmd

import (
	"testing"

	"entire/agent"
)

func TestSplitSlot(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in, name string
		slot     int
		ok       bool
	}{
		{"a1b2", "a1b2", -1, true},
		{"a1b2/0", "a1b2", 0, true},
		{"a1b2/12", "a1b2", 12, true},
		{"a1b2/", "", 0, false},
		{"a1b2/-1", "", 0, false},
		{"a1b2/1x", "", 0, false},
	} {
		name, slot, err := splitSlot(test.in)
		if name != test.name || slot != test.slot || (err == nil) != test.ok {
			t.Errorf("splitSlot(%q) = %q, %d, %v", test.in, name, slot, err)
		}
	}
}

func TestReadableTranscript(t *testing.T) {
	t.Parallel()
	transcript := `{"type":"assistant","message":{"id":"m","content":[` +
		`{"type":"tool_use","name":"Edit","input":{"file_path":"/home/dana/shop/src/cart.go"}},` +
		`{"type":"tool_use","name":"Read","input":{"file_path":"/etc/hosts"}},` +
		`{"type":"tool_use","name":"Bash","input":{"command":"cd /home/dana/shop/src\ngo test","description":"Run the tests"}}]}}` + "\n"
	want := "[Tool] Edit: src/cart.go\n\n[Tool] Read: /etc/hosts\n\n[Tool] Bash: cd src …\n"
	if got := readable([]byte(transcript), agent.AgentTypeClaudeCode, 0, false, "/home/dana/shop"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
