package transcript

import (
	"strings"
	"testing"

	"entire/agent"
)

func TestLostBeginning(t *testing.T) {
	t.Parallel()
	lines := func(names string) []byte {
		var b strings.Builder
		for _, name := range strings.Fields(names) {
			b.WriteString(`{"session":"s1","message":{"id":"` + name + `","role":"user","content":"x"}}` + "\n")
		}
		return []byte(b.String())
	}
	for _, tc := range []struct{ what, kept, present, lost string }{
		{"nothing is kept", "", "a", ""},
		{"the conversation has grown", "a b", "a b c", ""},
		{"its end was taken back", "a b c", "a", ""},
		{"it begins anew", "a b", "c d", "a b"},
		{"its beginning was left out", "a b c", "c d", "a b"},
		{"a summary stands for its beginning", "a b c", "x c d", "a b"},
	} {
		if got := lostBeginning("Cline", lines(tc.kept), lines(tc.present)); string(got) != string(lines(tc.lost)) {
			t.Errorf("%s: %s", tc.what, got)
		}
	}
	if got := lostBeginning(agent.AgentTypeClaudeCode, []byte("torn"), lines("a")); len(got) > 0 {
		t.Errorf("a line that cannot be read is kept: %s", got)
	}
}
