package importtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxAdapter is how many lines an adapter may have beside the reader of its agent's transcripts: what
// several adapters do belongs to agent/internal.
const maxAdapter = 300

// readerFiles are the files of an adapter that find, read, make or repair transcripts.
var readerFiles = []string{"records.go", "parts.go", "call.go", "lines.go", "repair.go", "recognise.go", "restored.go", "file_facts.go", "history.go", "permission.go"}

// noAdapters are the folders below agent that are none.
var noAdapters = []string{"agents", "check", "conversation", "document", "filelog", "internal", "mcp"}

// TestAdaptersStaySmall counts Go, not the plugin or script in the agent's own language that it writes.
func TestAdaptersStaySmall(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "agent")
	folders, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	adapters := 0
	for _, folder := range folders {
		if !folder.IsDir() || slices.Contains(noAdapters, folder.Name()) {
			continue
		}
		adapters++
		lines := 0
		files, err := os.ReadDir(filepath.Join(root, folder.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if f.IsDir() || !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") || f.Name() == "doc.go" || slices.Contains(readerFiles, f.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, folder.Name(), f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			lines += strings.Count(string(text), "\n")
		}
		if lines > maxAdapter {
			t.Errorf("agent/%s has %d lines beside its reader of transcripts; at most %d", folder.Name(), lines, maxAdapter)
		}
	}
	if adapters < 11 {
		t.Errorf("only %d adapters were found", adapters)
	}
}
