package importtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOnlyAdaptersNameTheirAgent: what is particular to an agent is a fact in its adapter's Profile or
// a method of its adapter. Programs that only play agents name them.
func TestOnlyAdaptersNameTheirAgent(t *testing.T) {
	t.Parallel()
	top := filepath.Join("..", "..")
	named := regexp.MustCompile(`agent\.Agent(Type|Name)[A-Z]\w+|"(claude-code|gemini|codex|qwen|cursor|copilot|droid|opencode|kilo|cline)"`)
	for _, room := range []string{"agent/check", "agent/conversation", "agent/document", "checkpoint", "cmd", "hooks", "internal", "session", "strategy"} {
		err := filepath.WalkDir(filepath.Join(top, room), func(path string, d os.DirEntry, err error) error {
			slashed := filepath.ToSlash(path)
			switch {
			case err != nil:
				return err
			case d.IsDir() && regexp.MustCompile(`internal/(clients|fakemodel|recording|benchmark|testrepo|histories|attribsuite|importtest|rescue/rescuetest|cli/clitest|cli/tui/tuitest)$|internal/recording/|enginetest$|checkpointtest$`).MatchString(slashed):
				return filepath.SkipDir
			case strings.HasPrefix(filepath.Base(path), "demo"): // plays an agent
				return nil
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, word := range named.FindAllString(string(text), -1) {
				if word != "agent.AgentTypeUnknown" && word != "agent.AgentNameGeneric" && !strings.HasSuffix(slashed, "acpcmd/acp.go") { // its help has an example
					t.Errorf("%s names an agent: %s", slashed, word)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
