package check_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/agent"
	"entire/agent/check"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/agent/internal/agenttest"
)

// forked is a fork of a transcript.
func forked(t agenttest.Tester, agentType agent.AgentType, transcript []byte, at, newID string) string {
	t.Helper()
	var out bytes.Buffer
	if err := check.Fork(agentType, bytes.NewReader(transcript), &out, at, newID); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// another is records of another session.
func another(records ...string) []byte {
	return bytes.ReplaceAll(agenttest.Lines(records...), []byte(`"sessionId":"s"`), []byte(`"sessionId":"new"`))
}

func TestForkTranscript(t *testing.T) {
	t.Parallel()
	session := []string{
		`{"type":"file-history-snapshot","messageId":"u1","snapshot":{"sessionId":"s "}}`,
		userLine("u1", "", "go"), callLine("a1", "u1", "m1", "t1"), progressLine("p1", "a1"), callLine("a2", "p1", "m1", "t2"),
		resultLine("r2", "a2", "t2"), progressLine("p2", "a1"), resultLine("r1", "p2", "t1"), answerLine("a3", "r2", "m2"),
		userLine("u2", "a3", "more"), callLine("a4", "u2", "m3", "t9"), side(userLine("s1", "", "task")),
	}
	pick := func(numbers ...int) (out []string) {
		for _, n := range numbers {
			out = append(out, session[n])
		}
		return out
	}
	for _, test := range []struct {
		name  string
		agent agent.AgentType
		at    string
		from  []byte
		want  []byte
	}{
		{"the whole", agent.AgentTypeClaudeCode, "", agenttest.Lines(session...), another(session...)},
		{"a user's message", agent.AgentTypeClaudeCode, "u2", agenttest.Lines(session...), another(session[:10]...)},
		{"the first", agent.AgentTypeClaudeCode, "u1", agenttest.Lines(session...), another(session[:2]...)},
		{"a call gets its result", agent.AgentTypeClaudeCode, "a1", agenttest.Lines(session...), another(pick(0, 1, 2, 6, 7)...)},
		{"a result of another call stands before", agent.AgentTypeClaudeCode, "r2", agenttest.Lines(session...), another(pick(0, 1, 2, 3, 4, 6, 7, 5)...)},
		{"a result alone", agent.AgentTypeClaudeCode, "r1", agenttest.Lines(session...), another(session[:8]...)},
		{"a call that has no result", agent.AgentTypeClaudeCode, "a4", agenttest.Lines(session...), another(session[:11]...)},
		{"a piece of a record", agent.AgentTypeClaudeCode, "u2#2", agenttest.Lines(session...), another(session[:10]...)},
		{"this program's own form", agent.AgentTypeUnknown, "line-2", agenttest.Lines(`{"role":"user","text":"a"}`, `{"role":"user","text":"b","sessionId":"s"}`, `{"role":"user","text":"c"}`),
			another(`{"role":"user","text":"a"}`, `{"role":"user","text":"b","sessionId":"s"}`)},
		{"records of Gemini", agent.AgentTypeGemini, "2", agenttest.Lines(
			`{"sessionId":"s","kind":"main"}`, `{"id":"1","type":"user","content":"go"}`, `{"id":"2","type":"gemini","content":""}`,
			`{"$set":{"sessionId":"s"}}`, `{"id":"2","type":"gemini","content":"done"}`, `{"id":"3","type":"user","content":"x"}`, `{"$rewindTo":"2"}`, `{"id":"2","type":"gemini","content":"y"}`,
		), another(
			`{"sessionId":"s","kind":"main"}`, `{"id":"1","type":"user","content":"go"}`, `{"id":"2","type":"gemini","content":""}`, `{"id":"2","type":"gemini","content":"done"}`,
		)},
		{"a message of Gemini that was saved", agent.AgentTypeGemini, "1", agenttest.Lines(
			`{"sessionId":"s"}`, `{"$set":{"sessionId":"s","messages":[{"id":"1","type":"user","content":"go"},{"id":"2","type":"gemini"}]}}`,
		), another(`{"sessionId":"s"}`, `{"$set":{"sessionId":"s","messages":[{"id":"1","type":"user","content":"go"}]}}`)},
		{"a document of Gemini", agent.AgentTypeGemini, "1", []byte("{\n \"sessionId\":\"s\",\n \"messages\": [\n  {\"id\":\"1\",\"type\":\"user\"},\n  {\"id\":\"2\",\"type\":\"gemini\"}\n ]\n}"),
			[]byte("{\n \"sessionId\":\"new\",\n \"messages\": [\n  {\"id\":\"1\",\"type\":\"user\"}\n ]\n}")},
		{"a whole document", agent.AgentTypeGemini, "", []byte(`{"sessionId":"s","messages":[]}`), []byte(`{"sessionId":"new","messages":[]}`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := forked(t, test.agent, test.from, test.at, "new"); got != string(test.want) {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			if got, want := forked(t, test.agent, test.from, test.at, ""), strings.ReplaceAll(string(test.want), `"new"`, `"s"`); got != want {
				t.Errorf("with the old ID: got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestForkFails(t *testing.T) {
	t.Parallel()
	session := agenttest.Lines(userLine("u1", "", "go"), progressLine("p1", "u1"), side(userLine("s1", "", "task")))
	for _, test := range []struct {
		name  string
		agent agent.AgentType
		from  string
		at    string
		want  error
	}{
		{"no such message", agent.AgentTypeClaudeCode, string(session), "u9", check.ErrNoMessage},
		{"no message at all", agent.AgentTypeClaudeCode, string(session), "p1", check.ErrNoMessage},
		{"a subagent's", agent.AgentTypeClaudeCode, string(session), "s1", check.ErrNoMessage},
		{"not in the records", agent.AgentTypeGemini, `{"id":"1","type":"user"}`, "2", check.ErrNoMessage},
		{"not in the document", agent.AgentTypeGemini, `{"messages":[{"id":"1","type":"user"}]}`, "2", check.ErrNoMessage},
		{"half a document", agent.AgentTypeGemini, `{"messages":[`, "", document.ErrNone},
	} {
		var out bytes.Buffer
		err := check.Fork(test.agent, strings.NewReader(test.from), &out, test.at, "new")
		if !errors.Is(err, test.want) || out.Len() > 0 {
			t.Errorf("%s: %v and %d bytes, want %v and none", test.name, err, out.Len(), test.want)
		}
	}
	cause := errors.New("the disk")
	for _, at := range []string{"", "u1"} {
		if err := check.Fork(agent.AgentTypeClaudeCode, errorReader{cause}, io.Discard, at, ""); !errors.Is(err, cause) {
			t.Errorf("reading: %v", err)
		}
		if err := check.Fork(agent.AgentTypeClaudeCode, bytes.NewReader(session), errorWriter{cause}, at, ""); !errors.Is(err, cause) {
			t.Errorf("writing: %v", err)
		}
	}
}

// checkForks forks a transcript of Claude Code at every message. At a prompt the
// fork is exactly the lines up to it; at any message its messages are those up to
// it and results of calls among them, none of which is left open that was not.
func checkForks(t agenttest.Tester, transcript []byte, every int) (prompts int) {
	t.Helper()
	messages := conversation.Normalize(agent.AgentTypeClaudeCode, transcript)
	open := openCallsOf(messages)
	for i, m := range messages {
		if m.Sidechain || m.UUID != conversation.RecordUUID(m.UUID) || m.Role != agent.RoleUser && i%every != 0 {
			continue
		}
		got := forked(t, agent.AgentTypeClaudeCode, transcript, m.UUID, "")
		if m.Role == agent.RoleUser && !m.Injected {
			prompts++
			if want := upToLine(t, transcript, m.UUID); got != want {
				t.Fatalf("the fork at %s is no prefix:\n%s\nof\n%s", m.UUID, got, transcript)
			}
			if got, want := agenttest.Encoded(t, conversation.Normalize(agent.AgentTypeClaudeCode, []byte(got))), agenttest.Encoded(t, messages[:i+1]); got != want {
				t.Fatalf("the fork at %s has other messages", m.UUID)
			}
		}
		part := conversation.Normalize(agent.AgentTypeClaudeCode, []byte(got))
		checkForked(t, messages, part, i, open)
	}
	return prompts
}

// checkForked checks a fork at message i: all up to it is there and nothing but
// results and what they need besides.
func checkForked(t agenttest.Tester, messages, part []agent.Message, i int, open map[string]bool) {
	t.Helper()
	there := map[string]bool{}
	for _, m := range part {
		there[m.UUID] = true
	}
	for _, m := range messages[:i+1] {
		if !there[m.UUID] {
			t.Fatalf("the fork at %s is without %s", messages[i].UUID, m.UUID)
		}
	}
	for id := range openCallsOf(part) {
		if !open[id] {
			t.Fatalf("the fork at %s leaves the call %s open", messages[i].UUID, id)
		}
	}
}

func openCallsOf(messages []agent.Message) map[string]bool {
	out := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			out[c.ID] = true
		}
	}
	for _, m := range messages {
		delete(out, m.ToolCallID)
	}
	return out
}

// upToLine is a transcript up to the line with that UUID, found without this package.
func upToLine(t agenttest.Tester, transcript []byte, uuid string) string {
	t.Helper()
	var out []byte
	for line := range bytes.Lines(transcript) {
		out = append(out, line...)
		var l struct {
			UUID string `json:"uuid"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		if l.UUID == uuid {
			return string(out)
		}
	}
	t.Fatalf("no line %s", uuid)
	return ""
}

func TestForkEverywhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		transcript := []byte(strings.Join(drawSession(t), "\n") + "\n")
		checkForks(t, transcript, 1)
	})
}

func TestForkRealTranscripts(t *testing.T) {
	t.Parallel()
	agenttest.EachReal(t, func(name string, transcript []byte) {
		t.Logf("%s: forked at %d prompts", name, checkForks(t, transcript, 25))
	})
}

// A real transcript is one that nothing needs to be done to.
func TestRepairRealTranscripts(t *testing.T) {
	t.Parallel()
	agenttest.EachReal(t, func(name string, transcript []byte) {
		if got, done := mended(t, agent.AgentTypeClaudeCode, transcript); got != string(transcript) || !done.IsZero() {
			t.Errorf("%s: %+v", name, done)
		}
	})
}

func FuzzForkTranscript(f *testing.F) {
	for _, row := range checkRows {
		f.Add(string(row.agent), row.transcript, "u1", "new")
	}
	f.Fuzz(func(t *testing.T, agentType string, transcript []byte, at, newID string) {
		var out bytes.Buffer
		err := check.Fork(agent.AgentType(agentType), bytes.NewReader(transcript), &out, at, newID)
		if err != nil && !errors.Is(err, check.ErrNoMessage) && !errors.Is(err, document.ErrNone) {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err == nil {
			err = check.Fork(agent.AgentType(agentType), bytes.NewReader(out.Bytes()), &again, "", newID)
			if err != nil || again.String() != out.String() {
				t.Errorf("the whole of a fork is another: %v\n%s\n%s", err, again.String(), out.String())
			}
		}
	})
}
