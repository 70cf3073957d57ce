package filelog_test

import (
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/filelog"
)

// FuzzReader reads any lines as each agent's transcript: no fact without a path, and none that is larger than the lines.
func FuzzReader(f *testing.F) {
	f.Add(`{"type":"assistant","cwd":"/r","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"cat >a <<'E'\nx\nE"}}]}}` + "\n" +
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}`)
	f.Add(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]},"toolUseResult":{"filePath":"a","oldString":"x","newString":"y","structuredPatch":[{"oldStart":1,"oldLines":1,"lines":["-x","+y"]}]}}`)
	f.Add(`{"type":"response_item","payload":{"type":"custom_tool_call","call_id":"c","name":"apply_patch","input":"*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch"}}` + "\n" +
		`{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c","output":"ok"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, ag := range agents.All() {
			r := filelog.NewReader(ag.Type())
			size := 0
			for line := range strings.SplitSeq(text, "\n") {
				for _, fact := range r.Line([]byte(line)) {
					if fact.Path == "" {
						t.Error("a fact without a path")
					}
					size += len(fact.Text)
				}
			}
			if size > 40*len(text)+1000 {
				t.Errorf("%d bytes of facts out of %d", size, len(text))
			}
		}
	})
}

func agentNamed(name string) (agent.AgentType, bool) {
	a, ok := agents.Lookup(agent.AgentName(name))
	if !ok {
		return "", false
	}
	return a.Type(), true
}
