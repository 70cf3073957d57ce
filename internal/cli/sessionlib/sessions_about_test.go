package sessionlib

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/id"
	"entire/internal/cli/clitest"
)

func TestAboutTranscripts(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		agent agent.AgentType
		id    string
		first string
	}{
		"Claude Code":        {agent.AgentTypeClaudeCode, "5e55104f-0000-4000-8000-00000000000a", "2026-02-03"},
		"Gemini, a document": {agent.AgentTypeGemini, "5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10", "2026-08-21"},
		"Gemini, lines":      {agent.AgentTypeGemini, "5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10", ""},
		"another":            {agent.AgentTypeUnknown, "transcript", ""},
	} {
		about, err := ReadAbout(clitest.Transcripts(filepath.Join("..", "..", "..", "testdata"))[name], "")
		if err != nil || about.Agent != want.agent || about.ID.String() != want.id {
			t.Errorf("%s: %+v, %v", name, about, err)
		}
		if !strings.HasPrefix(about.first.Format("2006-01-02"), want.first) {
			t.Errorf("%s: begun %v", name, about.first)
		}
	}
}

// Of a session that was continued in a file of its own, the file's name counts
// where a record has it; a name that no record has does not.
func TestSessionNamed(t *testing.T) {
	t.Parallel()
	both := `{"sessionId":"old"}` + "\n" + `{"sessionId":"new"}` + "\n" + `{"sessionId":"old"}` + "\n"
	for path, want := range map[string]string{"/x/new.jsonl": "new", "/x/old.jsonl": "old", "/x/copy.jsonl": "old"} {
		if got, err := sessionNamed(path, strings.NewReader(both)); got != want || err != nil {
			t.Errorf("%s is of session %q, %v; want %q", path, got, err, want)
		}
	}
	if got, err := sessionNamed("/x/talk.jsonl", strings.NewReader(`{"role":"user"}`+"\n")); got != "talk" || err != nil {
		t.Errorf("without an ID: %q, %v", got, err)
	}
}

// Whatever stands in a file, its session's ID is fit for a path.
func FuzzAbout(f *testing.F) {
	for _, path := range clitest.Transcripts(filepath.Join("..", "..", "..", "testdata")) {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"sessionId":"../../etc","type":"user","message":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		about := aboutTranscript{Agent: agentOf("/x/a.jsonl", data)}
		about.look(data)
		named, err := sessionNamed("/x/a.jsonl", bytes.NewReader(data))
		if err != nil {
			return
		}
		if sid, err := id.ParseSessionID(named); err == nil && sid.String() != named {
			t.Errorf("%q became %q", named, sid)
		}
	})
}
