package config

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOnlyAPersonLetsAgentsRewind: a committed file must not let agents change other people's files.
func TestOnlyAPersonLetsAgentsRewind(t *testing.T) {
	t.Parallel()
	for target, want := range map[Target]bool{Project: false, Local: true} {
		top := t.TempDir()
		writeSettings(t, top, target, `{"strategy_options":{"mcp":{"rewind":true}}}`)
		if s, err := Load(top); err != nil || s.AgentsRewind != want {
			t.Errorf("%v: %v, %v", target, s.AgentsRewind, err)
		}
	}
	top := t.TempDir()
	writeSettings(t, top, Local, `{"strategy_options":{"mcp":{"rewind":"yes"}}}`)
	if s, err := Load(top); err == nil || s.AgentsRewind {
		t.Errorf("a text was taken: %v, %v", s.AgentsRewind, err)
	}
}

func writeSettings(t *testing.T, top string, target Target, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(top, ".entire"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(Path(top, target), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
