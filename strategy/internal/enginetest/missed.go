package enginetest

import (
	"encoding/json"
	"fmt"
	"testing"

	"entire/checkpoint"
	"entire/internal/git"
)

// Shell is a call of the agent's shell, with a command that runs without git's hooks.
func (w *World) Shell(sid, command string) {
	w.T.Helper()
	call := fmt.Sprintf("t-%d", w.Now.UnixNano())
	w.Now = w.Now.Add(1)
	put := func(kind string, block map[string]any) {
		line, err := json.Marshal(map[string]any{"type": kind, "uuid": kind + call, "message": map[string]any{"id": "m-" + call, "role": kind, "content": []any{block}}})
		if err != nil {
			w.T.Fatal(err)
		}
		w.Line(sid, string(line))
	}
	put("assistant", map[string]any{"type": "tool_use", "id": call, "name": "Bash", "input": map[string]any{"command": command}})
	cmd := w.Command("sh", "-c", command)
	cmd.Env = append(cmd.Env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.T.Fatalf("%s: %v\n%s", command, err, out)
	}
	put("user", map[string]any{"type": "tool_result", "tool_use_id": call, "content": string(out)})
}

func oidOf(t *testing.T, hex string) git.OID {
	t.Helper()
	oid, err := git.ParseOID(hex)
	if err != nil {
		t.Fatal(err)
	}
	return oid
}

// Linked are the checkpoints of a commit that its message does not name.
func (w *World) Linked(rev string) []string {
	w.T.Helper()
	e := w.Engine()
	links, err := checkpoint.NewRecords(e.Repo).Links(w.Ctx)
	if err != nil {
		w.T.Fatal(err)
	}
	var out []string
	for _, cp := range links[oidOf(w.T, w.Git("rev-parse", rev))] {
		out = append(out, cp.String())
	}
	return out
}
