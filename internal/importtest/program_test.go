package importtest

import (
	"os/exec"
	"strings"
	"testing"
)

// TestProgramIsLinkedWithoutGoGit: each process that links go-git initialises it, a fifth of
// what a hook takes to start.
func TestProgramIsLinkedWithoutGoGit(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "entire/cmd/entire").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 100 {
		t.Errorf("only %d dependencies", len(deps))
	}
	for _, dep := range deps {
		if strings.HasPrefix(dep, "github.com/go-git/") || dep == "entire/checkpoint" || dep == "entire/strategy" || dep == "entire/internal/gogit" {
			t.Errorf("cmd/entire depends on %s", dep)
		}
		if strings.HasPrefix(dep, "github.com/modelcontextprotocol/") || dep == "encoding/gob" {
			t.Errorf("cmd/entire depends on %s, which belongs to entire-mcp", dep)
		}
		if strings.HasPrefix(dep, "entire/internal/hub/") || strings.HasPrefix(dep, "github.com/jackc/") || strings.HasPrefix(dep, "github.com/prometheus/") {
			t.Errorf("cmd/entire depends on %s, which belongs to entire-hub", dep)
		}
		if strings.HasPrefix(dep, "go.opentelemetry.io/") || strings.HasPrefix(dep, "google.golang.org/") {
			t.Errorf("cmd/entire depends on %s, which belongs to entire-otel", dep)
		}
		if dep == "github.com/alecthomas/chroma/v2/lexers" || dep == "github.com/alecthomas/chroma/v2/styles" {
			t.Errorf("cmd/entire depends on %s, which reads all its languages or styles when a program starts", dep)
		}
	}
}
