package metadata

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"entire/agent/claude"
	"entire/checkpoint/statement"
)

func TestTellPermissions(t *testing.T) {
	t.Parallel()
	text := `{"permissionMode":"plan"}
{"permissionDecision":{"decision":"accept","source":"config"}}
{"permissionDecision":{"decision":"accept","source":"user_temporary"}}
{"permissionMode":"acceptEdits"}
{"toolUseResult":"User rejected tool use"}
{"permissionDecision":{"decision":"accept","source":"config"}}`
	for start, want := range map[int]*statement.Permissions{
		0: {Modes: []string{"plan", "acceptEdits"}, Approved: map[string]int{"settings": 2, "person": 1}, Denied: map[string]int{"person": 1}},
		2: {Modes: []string{"plan", "acceptEdits"}, Approved: map[string]int{"settings": 1, "person": 1}, Denied: map[string]int{"person": 1}},
		5: {Modes: []string{"acceptEdits"}, Approved: map[string]int{"settings": 1}},
		6: nil,
	} {
		if diff := cmp.Diff(want, tellPermissions(claude.Adapter{}, []byte(text), start)); diff != "" {
			t.Errorf("from line %d: %s", start, diff)
		}
	}
	if got := tellPermissions(claude.Adapter{}, []byte("{}\nx"), 0); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
}
