package filelog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"entire/agent"
	"entire/agent/filelog"
)

// TestAgents reads recorded transcripts of each agent.
func TestAgents(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][]string{
		"codex/testdata/rollout.jsonl":   {"whole cart.py items = []|total = 0|", "moved shop.py", "gone gone.py", "whole sub/b.txt b|"},
		"qwen/testdata/transcript.jsonl": {"whole /home/dana/shop/cart.py items = []|"},
		"copilot/testdata/events.jsonl": {"whole /home/dana/shop/cart.py def total(cart):|    return 0|", "changed /home/dana/shop/cart.py",
			"whole /home/dana/shop/cart.py def total(cart):|    return sum(cart)|", "whole /home/dana/shop/notes.md # Notes|"},
		"pi/testdata/session.jsonl":     {"whole /home/dev/shop/cart.py def total():|    return 0|", "changed cart.py"},
		"droid/testdata/session.jsonl":  {"whole cart.py total = 0|", "changed cart.py"},
		"cursor/testdata/session.jsonl": {"whole /home/dana/shop/cart.ts let total = 0|", "changed /home/dana/shop/cart.ts", "gone /home/dana/shop/notes.md"},
	} {
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(file, "/")
		kind, ok := agentNamed(name)
		if !ok {
			t.Fatalf("no agent %s", name)
		}
		r := filelog.NewReader(kind)
		var got []string
		for line := range strings.Lines(string(text)) {
			got = append(got, described(r.Line([]byte(line)))...)
		}
		got = append(got, described(r.End())...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

func described(facts []filelog.Fact) []string {
	var out []string
	for _, f := range facts {
		words := fmt.Sprintf("%s %s", []string{"whole", "shown", "changed", "gone", "moved"}[f.Kind], f.Path)
		if f.Kind == agent.FileWhole {
			words += " " + strings.ReplaceAll(f.Text, "\n", "|")
		}
		out = append(out, words)
	}
	return out
}

// TestClaudeCode reads what Claude Code notes about files.
func TestClaudeCode(t *testing.T) {
	t.Parallel()
	result := func(outcome string) string {
		return `{"type":"user","uuid":"u","cwd":"/r","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]},"toolUseResult":` + outcome + `}`
	}
	for line, want := range map[string][]string{
		result(`{"type":"text","file":{"filePath":"/r/a","content":"x\ny\n","startLine":1,"numLines":3,"totalLines":3}}`): {"whole /r/a x|y|"},
		result(`{"type":"text","file":{"filePath":"/r/a","content":"y","startLine":2,"numLines":1,"totalLines":3}}`):      {"shown /r/a"},
		result(`{"type":"update","filePath":"/r/a","content":"new","originalFile":"old","structuredPatch":[]}`):           {"whole /r/a old", "whole /r/a new"},
		result(`{"filePath":"/r/a","oldString":"x","newString":"y","originalFile":"x","structuredPatch":[]}`):             {"whole /r/a x", "changed /r/a"},
		result(`{"stdout":"x"}`): nil,
		`{"type":"attachment","uuid":"u","timestamp":"2026-01-01T00:00:00Z","attachment":{"type":"file","filename":"/r/a","content":{"type":"text","file":{"filePath":"/r/a","content":"x","startLine":1,"numLines":1,"totalLines":1}}}}`:                {"whole /r/a x"},
		`{"type":"attachment","uuid":"u","timestamp":"2026-01-01T00:00:00Z","attachment":{"type":"edited_text_file","filename":"/r/a","snippet":"     7→x\n     8→y\n...\n    20→z"}}`:                                                                   {"shown /r/a", "shown /r/a"},
		`{"type":"file-history-snapshot","messageId":"m","snapshot":{"trackedFileBackups":{"a":{"backupFileName":"0123456789abcdef@v1","version":1,"backupTime":"2026-01-01T00:00:00Z"},"b":{"backupFileName":null},"c":{"backupFileName":"../../x"}}}}`: {"whole a "},
	} {
		if diff := cmp.Diff(want, described(filelog.NewReader(agent.AgentTypeClaudeCode).Line([]byte(line)))); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}
