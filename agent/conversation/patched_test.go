package conversation_test

import (
	"reflect"
	"testing"

	"entire/agent"
	"entire/agent/conversation"
)

func patchedLine(result string) string {
	return `{"type":"user","uuid":"u","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"toolUseResult":` + result + `}`
}

func TestPatchedIn(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, line string
		want       []string
		ok         bool
	}{
		{"an edit", patchedLine(`{"filePath":"/r/a","oldString":"x","newString":"y","structuredPatch":[{"lines":[" keep","-x","+y","++z"]},{"lines":["+w"]}]}`), []string{"y", "+z", "w"}, true},
		{"a new file", patchedLine(`{"type":"create","filePath":"/r/a","content":"one\r\n\ntwo","structuredPatch":[]}`), []string{"one", "", "two"}, true},
		{"nothing but a removal", patchedLine(`{"type":"update","filePath":"/r/a","content":"one","structuredPatch":[{"lines":["-x"]}]}`), nil, true},
		{"another tool", patchedLine(`{"stdout":"\"structuredPatch\""}`), nil, false},
		{"an agent's line", `{"type":"assistant","toolUseResult":{"filePath":"a","structuredPatch":[]}}`, nil, false},
		{"not JSON", `"structuredPatch" {`, nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			all := conversation.ReadLine(agent.AgentTypeClaudeCode, []byte(tc.line)).Patched()
			got, ok := conversation.Patched{}, len(all) == 1
			if ok {
				got = all[0]
			}
			if ok != tc.ok || !reflect.DeepEqual(got.Added, tc.want) || ok && (got.ToolUseID != "t1" || got.Path != "/r/a") {
				t.Errorf("got %+v, %v", got, ok)
			}
		})
	}
	if got := conversation.ReadLine(agent.AgentTypeClaudeCode, []byte(patchedLine(`{"filePath":"/r/a","structuredPatch":[{"lines":[" keep","-x","-y","+\tx"]}]}`))).Patched(); len(got) != 1 || !reflect.DeepEqual(got[0].Removed, []string{"x", "y"}) {
		t.Errorf("removed: %+v", got)
	}
	if got := conversation.ReadLine(agent.AgentTypeGemini, []byte(patchedLine(`{"filePath":"/r/a","structuredPatch":[]}`))).Patched(); len(got) > 0 {
		t.Error("a transcript of another agent is read")
	}
}

func FuzzPatchedIn(f *testing.F) {
	f.Add([]byte(patchedLine(`{"filePath":"/r/a","structuredPatch":[{"lines":["+y"]}]}`)))
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, p := range conversation.ReadLine(agent.AgentTypeClaudeCode, line).Patched() {
			if p.ToolUseID == "" || p.Path == "" {
				t.Fatalf("%+v", p)
			}
		}
	})
}
