package mcp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent/mcp"
)

// TestOwn: answers of our server are known in the forms in which real programs record them, and nothing else
// is taken for one.
func TestOwn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		mcp.DataNote + "> x\n":                                                     true,
		"Wall time: 0.2 seconds\nOutput:\n" + mcp.DataNote:                         true,
		`[{"type":"text","text":"Lines that begin with \u003e` + mcp.DataNote[23:]: true,
		strings.Repeat("a file that has the note\n", 40) + mcp.DataNote:            false,
		"":                             false,
		"> quoted\nsessions and files": false,
	} {
		if mcp.IsAnswer(text) != want {
			t.Errorf("%.60q: %v", text, !want)
		}
	}
	for tool, want := range map[string]bool{
		"mcp__entire__recall": true, "entire_why": true, "entire-changes": true, "entire___open": true, "mcp_entire_undo_plan": true, "recall": true,
		"open": false, "mcp__other__open": false, "entire": false, "mcp__entirely__open": false, "reentire_open": false, "": false,
	} {
		if mcp.IsCall(tool) != want {
			t.Errorf("%s: %v", tool, !want)
		}
	}
	logs, err := filepath.Glob(filepath.FromSlash("../../internal/clients/testdata/mcp/*.log"))
	if err != nil || len(logs) == 0 {
		t.Fatal("no logs of real programs", err)
	}
	for _, name := range logs {
		data, err := os.ReadFile(name)
		_, given, ok := strings.Cut(string(data), "given:\n")
		if err != nil || !ok || !mcp.IsAnswer(given) {
			t.Errorf("%s: the answer is not known, %v", name, err)
		}
	}
}
