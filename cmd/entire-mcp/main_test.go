package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"entire/internal/testrepo"
)

// TestEntireMCP: `entire mcp` becomes the program beside it, which answers the SDK's client over standard
// input and output, and ends when the client closes them. Without that program it says what to do.
func TestEntireMCP(t *testing.T) {
	t.Parallel()
	dir := testrepo.Build(t, "entire", "entire-mcp")
	r := testrepo.New(t, testrepo.Files(map[string]string{".entire/settings.json": `{"enabled": true}`}))
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "entire"), "mcp")
	cmd.Dir, cmd.Env = r.Dir, r.Env
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.InitializeResult(); got.ServerInfo.Name != "entire" || !strings.Contains(got.Instructions, "recall") {
		t.Errorf("%+v", got)
	}
	var names []string
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "changes checkpoint open recall undo_plan why" {
		t.Errorf("tools: %s", got)
	}
	got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "checkpoint", Arguments: map[string]any{"label": "by an agent"}})
	if err != nil || got.IsError {
		t.Fatalf("%+v, %v", got, err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("the server's end: %v", err)
	}
	if list := run(t, r, filepath.Join(dir, "entire"), "log"); !strings.Contains(list, "by an agent") {
		t.Errorf("the point is not in the log: %s", list)
	}

	for _, args := range [][]string{{"--help"}, {"--port", "1"}, {"--http", "--port", "70000"}, {"extra"}} {
		one, two := run(t, r, filepath.Join(dir, "entire"), append([]string{"mcp"}, args...)...), run(t, r, filepath.Join(dir, "entire-mcp"), args...)
		if args[0] != "--help" && !strings.Contains(one, "hint: ") {
			t.Errorf("entire mcp %v: %s", args, one)
		}
		if args[0] == "--port" && one != two {
			t.Errorf("%v: entire mcp says %s, entire-mcp %s", args, one, two)
		}
	}
	alone := testrepo.Build(t, "entire")
	if said := run(t, r, filepath.Join(alone, "entire"), "mcp"); !strings.Contains(said, "entire-mcp") || !strings.Contains(said, "go install") {
		t.Errorf("without the server: %s", said)
	}
}

// run returns what a program prints.
func run(t *testing.T, r *testrepo.Repo, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = r.Dir, r.Env
	out, _ := cmd.CombinedOutput()
	return string(out)
}
