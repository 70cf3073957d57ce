package sessionlib_test

import (
	"encoding/json"
	"testing"

	"entire/agent"
	"entire/internal/cli/sessionlib"
)

// TestCallLine: a call is described by what it is about, whatever its agent calls that.
func TestCallLine(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ tool, input, want string }{
		{"Write", `{"file_path":"a.go","content":"x"}`, "Write: a.go"},
		{"write", `{"content":"x","filePath":"a.go"}`, "write: a.go"},
		{"read", `{"filePath":"a.go"}`, "read: a.go"},
		{"apply_patch", `"*** Begin Patch\n*** Add File: a.go\n+x\n*** Update File: b.go\n@@\n-x\n+y\n*** End Patch"`, "apply_patch: a.go, b.go"},
		{"exec_command", `{"cmd":"go test ./...","workdir":"/x"}`, "exec_command: go test ./..."},
		{"Bash", `{"command":"ls"}`, "Bash: ls"},
		{"mine", `{"a":1}`, `mine: {"a":1}`},
		{"mine", `{}`, "mine"},
	} {
		if got := sessionlib.CallLine(agent.ToolUse{Name: row.tool, Input: json.RawMessage(row.input)}); got != row.want {
			t.Errorf("%s %s: %q, want %q", row.tool, row.input, got, row.want)
		}
	}
}
