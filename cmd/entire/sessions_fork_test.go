package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"entire/agent"
	"entire/agent/conversation"
	"entire/internal/cli/clitest"
	"entire/internal/cli/sessionlib"
)

// A teller runs commands about sessions in a folder that is no repository.
type teller struct {
	t    *testing.T
	dir  string
	home string
}

func newTeller(t *testing.T) teller {
	t.Helper()
	return teller{t, t.TempDir(), t.TempDir()}
}

// run runs `entire sessions` and returns its output, which must not be an error.
func (a teller) run(args ...string) string {
	a.t.Helper()
	env, out, complaint := clitest.NewWorld(a.dir, "HOME="+a.home, "PATH="+os.Getenv("PATH"), "ENTIRE_TEST_TTY=0", "GIT_CEILING_DIRECTORIES="+filepath.Dir(a.dir))
	if err := execute(a.t.Context(), env, append([]string{"sessions"}, args...)); err != nil {
		a.t.Fatalf("entire sessions %s: %v\n%s", strings.Join(args, " "), err, complaint)
	}
	return out.String()
}

// messages is a session's conversation, each message as it is stored.
func (a teller) messages(id string) []agent.Message {
	a.t.Helper()
	var out []agent.Message
	for line := range strings.Lines(a.run("show", id, "--messages", "--json")) {
		var m agent.Message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			a.t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return v
}

// Forked at whatever a person said, a session is exactly what was said until then,
// in the store and to the agent; and the session it came from is what it was.
func TestForkAtEveryUserMessage(t *testing.T) {
	t.Parallel()
	for name, path := range clitest.Transcripts(filepath.Join("..", "..", "testdata")) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, err := filepath.Abs(path)
			if err != nil {
				t.Fatal(err)
			}
			a := newTeller(t)
			of := decode[[]imported](t, a.run("import", path, "--json"))[0]
			all, raw := a.messages(of.SessionID), a.run("show", of.SessionID, "--raw")
			forks := 0
			for i, m := range all {
				if m.Role != agent.RoleUser || m.Sidechain || m.Injected {
					continue
				}
				forks++
				a.checkFork(of, m.UUID, all[:i+1])
			}
			if forks == 0 {
				t.Error("nobody said anything")
			}
			if got := a.messages(of.SessionID); !cmp.Equal(all, got) {
				t.Errorf("the original was changed: %s", cmp.Diff(all, got))
			}
			if got := a.run("show", of.SessionID, "--raw"); got != raw {
				t.Error("the original's records were changed")
			}
		})
	}
}

// imported is what the tests read of an import.
type imported struct {
	SessionID string `json:"session_id"`
	Added     int    `json:"messages_added"`
	Messages  int    `json:"message_count"`

	Agent agent.AgentType `json:"agent"`
}

func (a teller) checkFork(of imported, at string, want []agent.Message) {
	a.t.Helper()
	fork := decode[sessionlib.ResumeView](a.t, a.run("fork", of.SessionID, "--at", at, "--json"))
	if fork.Parent != of.SessionID || fork.ForkedAt != at {
		a.t.Errorf("fork at %s: of %s at %s", at, fork.Parent, fork.ForkedAt)
	}
	if got := a.messages(fork.SessionID); !cmp.Equal(want, got) {
		a.t.Errorf("the fork at %s differs: %s", at, cmp.Diff(want, got))
	}
	if fork.Path == "" {
		return // an agent of which nobody knows where it looks
	}
	transcript, err := os.ReadFile(fork.Path)
	if err != nil {
		a.t.Fatal(err)
	}
	if got := conversation.Normalize(of.Agent, transcript); !cmp.Equal(want, got) {
		a.t.Errorf("the agent's transcript of the fork at %s differs: %s", at, cmp.Diff(want, got))
	}
	if bytes.Contains(transcript, []byte(of.SessionID)) {
		a.t.Errorf("the agent's transcript of the fork at %s names the session it came from", at)
	}

	// Deleted by the agent, it comes back as it was.
	if err := os.Remove(fork.Path); err != nil {
		a.t.Fatal(err)
	}
	again := decode[sessionlib.ResumeView](a.t, a.run("resume", fork.SessionID, "--json"))
	back, err := os.ReadFile(again.Path)
	if err != nil {
		a.t.Fatal(err)
	}
	if !again.Restored || !cmp.Equal(want, conversation.Normalize(of.Agent, back)) {
		a.t.Errorf("the transcript of the fork at %s did not come back as it was: %s", at, cmp.Diff(want, conversation.Normalize(of.Agent, back)))
	}
}

// counted is what a transcript of Claude Code holds, by encoding/json alone.
type counted struct{ Messages, Turns, Tokens, Calls, Results, Pairs int }

func countLines(t *testing.T, transcript []byte) counted {
	t.Helper()
	var sum counted
	most := map[string][2]int{} // output, and all tokens, by answer
	called := map[string]bool{}
	for line := range bytes.Lines(transcript) {
		var l struct {
			Type    string
			IsMeta  bool
			Message struct {
				ID      string
				Content any
				Usage   struct {
					Input   int `json:"input_tokens"`
					Output  int `json:"output_tokens"`
					Created int `json:"cache_creation_input_tokens"`
					Read    int `json:"cache_read_input_tokens"`
				}
			}
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		if l.Type != "user" && l.Type != "assistant" {
			continue
		}
		said := false
		switch content := l.Message.Content.(type) {
		case string:
			said = true
			if !l.IsMeta && !strings.HasPrefix(content, "[Request interrupted") {
				sum.Turns++
			}
		case []any:
			for _, b := range content {
				switch block := b.(map[string]any); block["type"] {
				case "tool_result":
					sum.Messages++
					sum.Results++
					if called[block["tool_use_id"].(string)] {
						sum.Pairs++
					}
				case "tool_use":
					sum.Calls++
					called[block["id"].(string)] = true
				case "text":
					if l.Type == "user" {
						said = true
						sum.Turns++
					}
				}
			}
		}
		if said || l.Type == "assistant" {
			sum.Messages++
		}
		if u := l.Message.Usage; l.Type == "assistant" && u.Output >= most[l.Message.ID][0] {
			most[l.Message.ID] = [2]int{u.Output, u.Input + u.Output + u.Created + u.Read}
		}
	}
	for _, m := range most {
		sum.Tokens += m[1]
	}
	return sum
}

func TestImportedCountsAreThoseOfTheLines(t *testing.T) {
	t.Parallel()
	path, err := filepath.Abs(clitest.Transcripts(filepath.Join("..", "..", "testdata"))["Claude Code"])
	if err != nil {
		t.Fatal(err)
	}
	transcript, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a := newTeller(t)
	of := decode[[]imported](t, a.run("import", path, "--json"))[0]
	meta := decode[sessionlib.ListedSession](t, a.run("show", of.SessionID, "--json"))
	got := counted{Messages: meta.Messages, Turns: meta.Turns, Tokens: meta.Tokens}
	called := map[string]bool{}
	for _, m := range a.messages(of.SessionID) {
		for _, c := range m.ToolCalls {
			got.Calls++
			called[c.ID] = true
		}
		if m.Role == agent.RoleTool {
			got.Results++
			if called[m.ToolCallID] {
				got.Pairs++
			}
		}
	}
	if want := countLines(t, transcript); got != want {
		t.Errorf("counted %+v, the lines have %+v", got, want)
	}
	if raw := a.run("show", of.SessionID, "--raw"); raw != string(transcript) {
		t.Error("the records are not what they were")
	}
	if again := decode[[]imported](t, a.run("import", path, "--json"))[0]; again.Added != 0 || again.Messages != of.Messages {
		t.Errorf("imported again, %d messages were added", again.Added)
	}
}
