package enginetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Subagent writes a subagent's transcript of some messages, each of 5 tokens in
// and 7 out.
func (w *World) Subagent(sid, aid string, messages int) {
	w.T.Helper()
	path := filepath.Join(filepath.Dir(w.Transcript(sid)), sid, "subagents", "agent-"+aid+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.T.Fatal(err)
	}
	var b strings.Builder
	for i := range messages {
		fmt.Fprintf(&b, `{"type":"assistant","message":{"id":"%s-%d","role":"assistant","content":"x","usage":{"input_tokens":5,"output_tokens":7}}}`+"\n", aid, i)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		w.T.Fatal(err)
	}
}

// Result is the line in which the agent learns what a subagent has to say.
func (w *World) Result(sid, use, aid string) {
	w.T.Helper()
	w.Line(sid, fmt.Sprintf(`{"type":"user","uuid":"r-%s","toolUseResult":{"agentId":"%s"},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":"agentId: %s"}]}}`, use, aid, use, aid))
}

// Spends is an answer of the agent's own, of 100 tokens out.
func (w *World) Spends(sid, message string) {
	w.T.Helper()
	w.Line(sid, fmt.Sprintf(`{"type":"assistant","uuid":"a-%s","message":{"id":"%s","role":"assistant","content":"x","usage":{"input_tokens":1,"output_tokens":100}}}`, message, message))
}
