package enginetest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/agent"
)

// WantsOf holds that a checkpoint lists just some files of a session.
func (w *World) WantsOf(sid, cp string, files ...string) {
	w.T.Helper()
	if got := w.Slots(cp)[sid]; !slices.Equal(got, files) {
		w.T.Errorf("checkpoint %s lists %v of %s, want %v", cp, got, sid, files)
	}
}

// RanShell is a shell command of a session's that is over.
func (w *World) RanShell(sid string, does func()) {
	w.T.Helper()
	line := func(kind, uuid string, block map[string]any) {
		w.sayRaw(sid, map[string]any{"type": kind, "uuid": uuid, "sessionId": sid, "message": map[string]any{"role": kind, "id": "m-" + uuid, "content": []any{block}}})
	}
	line("assistant", "call", map[string]any{"type": "tool_use", "id": "t1", "name": "Bash", "input": map[string]any{"command": "make f.txt built.txt"}})
	does()
	line("user", "result", map[string]any{"type": "tool_result", "tool_use_id": "t1", "content": "done"})
}

// Tool tells of a call for which somebody has found a reason.
func (w *World) Tool(sid, why string) {
	w.Event(agent.ToolStart, sid, func(ev *agent.Event) { ev.CheckpointReason, ev.ToolName = why, "Bash" })
}

// Started is how many processes of git a git command started.
func (w *World) Started(args ...string) int {
	w.T.Helper()
	trace := filepath.Join(w.Home, "trace")
	w.Env = append(w.Env, "GIT_TRACE2_EVENT="+trace)
	w.Git(args...)
	w.Env = w.Env[:len(w.Env)-1]
	said, err := os.ReadFile(trace)
	if err != nil {
		w.T.Fatal(err)
	}
	if err := os.Remove(trace); err != nil {
		w.T.Fatal(err)
	}
	w.HooksWentWell()
	return strings.Count(string(said), `"event":"start"`) - 1
}
