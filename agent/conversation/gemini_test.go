package conversation_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/agent/gemini"
	"entire/agent/internal/agenttest"
)

const geminiGolden = "../../testdata/agents/gemini"

func readGemini(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(geminiGolden, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestGeminiDecodeGoldenPayloads(t *testing.T) {
	t.Parallel()
	of := func(e agent.Event) agent.Event {
		e.AgentType = agent.AgentTypeGemini
		e.SessionID = agenttest.Session(t, "5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10")
		e.TranscriptPath = "/home/dev/.gemini/tmp/shop/chats/session-2026-08-21T10-11-5d1f6d2e.jsonl"
		return e
	}
	alone := of(agent.Event{Type: agent.SessionEnd, Reason: "logout"})
	alone.TranscriptPath = ""
	rows := map[string]agent.Event{
		"session-start":                  of(agent.Event{Type: agent.SessionStart, Source: "resume"}),
		"before-agent":                   of(agent.Event{Type: agent.TurnStart, Prompt: "Add a \"total\" to the cart\nund zähle “Größe”"}),
		"after-agent":                    of(agent.Event{Type: agent.TurnEnd}),
		"session-end":                    of(agent.Event{Type: agent.SessionEnd, Reason: "exit"}),
		"session-end-without-transcript": alone,
		"after-agent-from-claude": {
			Type: agent.TurnEnd, AgentType: agent.AgentTypeClaudeCode, SessionID: agenttest.Session(t, "258c7280-ae70-4798-800f-63464d01a85d"),
			TranscriptPath: "/home/dev/.claude/projects/-home-dev-shop/258c7280-ae70-4798-800f-63464d01a85d.jsonl",
		},
	}
	for name, want := range rows {
		verb := geminiVerbOf(name)
		got, err := agenttest.Gemini().Decode(verb, readGemini(t, name+".json"), agenttest.HookTime)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want.Agent, want.Dir, want.Time = "gemini", "/home/dev/shop", agenttest.HookTime
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, want)
		}
	}
	for _, v := range gemini.New().Words {
		if got, err := agenttest.Gemini().Decode(v.Word, readGemini(t, v.Word+".json"), agenttest.HookTime); err != nil || got.Type != v.Is {
			t.Errorf("%s: %q, %v", v.Word, got.Type, err)
		}
	}
}

// geminiVerbOf is the verb that a golden file's name begins with.
func geminiVerbOf(name string) string {
	longest := ""
	for _, v := range agenttest.Gemini().Verbs() {
		if strings.HasPrefix(name, v) && len(v) > len(longest) {
			longest = v
		}
	}
	return longest
}

func TestGeminiDecodeRefuses(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ verb, payload, want string }{
		"empty":      {"after-agent", "", "empty input"},
		"torn":       {"after-agent", `{"session_id":`, "is not JSON"},
		"no session": {"before-agent", `{"transcript_path":"/h/.gemini/tmp/x/chats/session-2026-08-21T10-11-5d1f6d2e.jsonl"}`, "no session_id"},
		"climbing":   {"session-end", `{"session_id":"../x"}`, "session id"},
		"verb":       {"stop", `{"session_id":"s"}`, "unknown hook verb"},
	} {
		if ev, err := agenttest.Gemini().Decode(row.verb, []byte(row.payload), agenttest.HookTime); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %+v, %v", name, ev, err)
		}
	}
	if _, err := agenttest.Gemini().Decode("after-model", []byte("garbage"), agenttest.HookTime); err != nil {
		t.Errorf("an ignored verb: %v", err)
	}
}

func TestGeminiPlaces(t *testing.T) {
	t.Parallel()
	const hash = "/h/.gemini/tmp/2e99758548972a8e8822ad47fa1017ff72f06f3ff6a016851f45c398732bc50c/chats" // of "this is a test"
	list := func(text string) func(string) []byte {
		return func(path string) []byte {
			if path != "/h/.gemini/projects.json" {
				t.Errorf("read %s", path)
			}
			return []byte(text)
		}
	}
	for name, row := range map[string]struct {
		list string
		want []string
	}{
		"no list":       {"", []string{hash, "/h/.gemini/tmp/this-is-a-test/chats"}},
		"listed":        {`{"projects":{"/other":"o","this is a test":"tst"}}`, []string{"/h/.gemini/tmp/tst/chats", hash, "/h/.gemini/tmp/this-is-a-test/chats"}},
		"leads out":     {`{"projects":{"this is a test":"../../x"}}`, []string{hash, "/h/.gemini/tmp/this-is-a-test/chats"}},
		"of odd values": {`{"projects":{"this is a test":1}}`, []string{hash, "/h/.gemini/tmp/this-is-a-test/chats"}},
	} {
		if got := agenttest.Gemini().Folders("/h", "this is a test", list(row.list)); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	sid := agenttest.Session(t, "5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10")
	for name, want := range map[string]bool{
		"session-2026-08-21T10-11-5d1f6d2e.json": true, "session-2026-08-21T10-11-5d1f6d2e.jsonl": true,
		"5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10.json": true, "session-2026-08-21T10-11-00000000.json": false,
		"session-5d1f6d2e.txt": false, "5d1f6d2e.json": false,
	} {
		if got := agenttest.Gemini().OwnsFile(name, sid); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for name, transcript := range map[string][]byte{
		"5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10.json": nil,
		"session-2026-08-21T10-11-5d1f6d2e.json":    readGemini(t, "session-old.json"),
		"session-2026-08-21T10-11-5d1f6d2e.jsonl":   readGemini(t, "session-new.jsonl"),
	} {
		if got := agenttest.Gemini().FileName(sid, transcript); got != name || !agenttest.Gemini().OwnsFile(got, sid) {
			t.Errorf("%s, want %s", got, name)
		}
	}
	if got := agenttest.Gemini().SubagentTranscripts("/c/session-x.jsonl", sid, "a1"); !reflect.DeepEqual(got, []string{"/c/5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10/a1.jsonl"}) {
		t.Errorf("subagents: %q", got)
	}
	if got := agenttest.Gemini().ResumeCommand(sid); got != "gemini --resume 5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10" {
		t.Error(got)
	}
}

// TestGeminiConversation reads both shapes of a transcript: usage once for each
// message, nothing of what was taken back.
func TestGeminiConversation(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		items   int
		prompts []string
		usage   agent.TokenUsage
		edits   []string
	}{
		"session-old.json": {5, []string{"Add a total", "Now look at @cart.go"},
			agent.TokenUsage{InputTokens: 750, CacheReadTokens: 300, OutputTokens: 32, ReasoningTokens: 5, APICallCount: 2}, []string{"cart.go", "notes.md"}},
		"session-new.jsonl": {6, []string{"Add a total", "Now write notes"},
			agent.TokenUsage{InputTokens: 755, CacheReadTokens: 300, OutputTokens: 33, ReasoningTokens: 5, APICallCount: 3}, []string{"cart.go", "notes.md"}},
	} {
		data := readGemini(t, name)
		c := conversation.Read(agent.AgentTypeGemini, data)
		if c.Items() != want.items || conversation.Items(agent.AgentTypeGemini, data) != want.items || c.Malformed != 0 {
			t.Errorf("%s: %d items, %d malformed", name, c.Items(), c.Malformed)
		}
		if !reflect.DeepEqual(c.Prompts, want.prompts) {
			t.Errorf("%s: prompts %q", name, c.Prompts)
		}
		if got := c.Usage(); !reflect.DeepEqual(got, want.usage) {
			t.Errorf("%s: usage %+v", name, got)
		}
		if got := c.EditsSince(conversation.Mark{}); !reflect.DeepEqual(got, want.edits) {
			t.Errorf("%s: edits %q", name, got)
		}
		if c.LastAssistant != "It is done." || c.Model != "gemini-3-flash" || c.OpenCalls != nil {
			t.Errorf("%s: %q by %q, open %v", name, c.LastAssistant, c.Model, c.OpenCalls)
		}
	}
}

func TestGeminiFromAnItemOn(t *testing.T) {
	t.Parallel()
	data := readGemini(t, "session-new.jsonl")
	const whole = "[User] Add a total\n\n[Tool] replace: cart.go\n\n[User] Now write notes\n\n[Assistant] It is done.\n"
	for start, want := range map[int]string{
		0: whole, 1: "[Tool] replace: cart.go\n\n[User] Now write notes\n\n[Assistant] It is done.\n",
		2: "[User] Now write notes\n\n[Assistant] It is done.\n", 4: "[User] Now write notes\n\n[Assistant] It is done.\n",
		5: "[Assistant] It is done.\n", 6: "", 7: whole,
	} {
		if got := conversation.CondenseFrom(agent.AgentTypeGemini, data, start, nil); got != want {
			t.Errorf("from %d: %q", start, got)
		}
	}
	if got := conversation.PromptsFrom(agent.AgentTypeGemini, data, 2); !reflect.DeepEqual(got, []string{"Now write notes"}) {
		t.Errorf("prompts %q", got)
	}
	old := readGemini(t, "session-old.json")
	const last = "[User] Now look at @cart.go\n\n[Assistant] It is done.\n\n[Tool] write_file: notes.md\n\n[Tool] save_file\n"
	for _, kind := range []agent.AgentType{agent.AgentTypeGemini, agent.AgentTypeUnknown, ""} {
		if got := conversation.CondenseFrom(kind, old, 3, nil); got != last {
			t.Errorf("%q: %q", kind, got)
		}
	}
	if got := conversation.CondenseFrom(agent.AgentTypeGemini, []byte("{\n torn"), 0, []string{"a"}); got != "[Files Modified]\n- a\n" {
		t.Errorf("torn: %q", got)
	}
}

// TestGeminiMarks goes on after each line of the newer shape, as an engine does.
func TestGeminiMarks(t *testing.T) {
	t.Parallel()
	c := conversation.NewConversation(agent.AgentTypeGemini)
	var marks []conversation.Mark
	agent.EachFinalLine(readGemini(t, "session-new.jsonl"), func(line []byte) {
		marks = append(marks, c.Mark())
		c.AddLine(line)
		c = stored(t, c)
	})
	for name, row := range map[string]struct {
		at      int // line
		prompts []string
		usage   agent.TokenUsage
		edits   []string
	}{
		"before the question taken back": {5, []string{"Now write notes"}, agent.TokenUsage{InputTokens: 55, OutputTokens: 8, APICallCount: 2}, []string{"notes.md"}},
		"after the way back":             {8, []string{"Now write notes"}, agent.TokenUsage{InputTokens: 50, OutputTokens: 7, APICallCount: 1}, []string{"notes.md"}},
		"before all is saved again":      {10, nil, agent.TokenUsage{}, nil},
	} {
		m := marks[row.at]
		if got := c.PromptsSince(m); !equalOrEmpty(got, row.prompts) {
			t.Errorf("%s: prompts %q", name, got)
		}
		if got := c.UsageSince(m); !reflect.DeepEqual(got, row.usage) {
			t.Errorf("%s: usage %+v", name, got)
		}
		if got := c.EditsSince(m); !equalOrEmpty(got, row.edits) {
			t.Errorf("%s: edits %q", name, got)
		}
	}
	c.Forget(marks[8])
	if !reflect.DeepEqual(c.Prompts, []string{"Now write notes"}) || c.Forgotten != 1 {
		t.Errorf("after Forget: %q, %d", c.Prompts, c.Forgotten)
	}
}

func equalOrEmpty(a, b []string) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

func TestGeminiOpenShellCall(t *testing.T) {
	t.Parallel()
	c := conversation.NewConversation(agent.AgentTypeGemini)
	call := `{"id":"m","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"run_shell_command","args":{"command":"git commit"},"status":"%s"}]}`
	c.AddLine(fmt.Appendf(nil, call, "executing"))
	if want := []conversation.ToolCall{{ID: "c1", Name: "run_shell_command", Command: "git commit", Commits: true}}; !reflect.DeepEqual(c.OpenCalls, want) {
		t.Errorf("%+v", c.OpenCalls)
	}
	c.AddLine(fmt.Appendf(nil, call, "success"))
	if c.OpenCalls != nil {
		t.Errorf("%+v", c.OpenCalls)
	}
}

func TestItemOfPrompt(t *testing.T) {
	t.Parallel()
	c := conversation.NewConversation(agent.AgentTypeGemini)
	if !c.AddDocument([]byte(`{"sessionId":"s","messages":[
		{"id":"1","type":"user","content":"first"},{"id":"2","type":"gemini","content":"done"},
		{"id":"3","type":"user","content":"go on"},{"id":"4","type":"gemini","content":"done"},
		{"id":"5","type":"user","content":"go on"}]}`)) {
		t.Fatal("no document")
	}
	for _, row := range []struct {
		after  int
		prompt string
		n      int
		ok     bool
	}{{0, "first", 0, true}, {0, "go on", 2, true}, {3, "go on", 4, true}, {1, "first", 0, false}, {0, "other", 0, false}, {9, "go on", 0, false}} {
		if n, ok := c.ItemOfPrompt(conversation.Mark{Items: row.after}, row.prompt); n != row.n || ok != row.ok {
			t.Errorf("%+v: %d, %v", row, n, ok)
		}
	}
	if _, ok := conversation.Read(agent.AgentTypeUnknown, []byte(`{"type":"user","message":{"role":"user","content":"first"}}`)).ItemOfPrompt(conversation.Mark{}, "first"); ok {
		t.Error("a transcript that does not say which message a prompt is")
	}
}

func TestShares(t *testing.T) {
	t.Parallel()
	talk := func(ids ...string) *conversation.Conversation {
		c := conversation.NewConversation(agent.AgentTypeGemini)
		for _, id := range ids {
			c.AddLine([]byte(`{"id":"` + id + `","type":"user","content":"go on"}`))
		}
		return c
	}
	c := talk("a", "b", "c")
	for _, row := range []struct {
		name  string
		c     *conversation.Conversation
		other *conversation.Conversation
		n     int
		want  bool
	}{
		{"what both have", c, talk("a", "b", "d", "e"), 2, true},
		{"more than both have", c, talk("a", "b", "d"), 3, false},
		{"a shorter one", c, talk("a", "b"), 3, false},
		{"nothing", c, talk("d"), 0, true},
		{"none", c, nil, 0, false},
		{"of none", nil, c, 0, false},
	} {
		if got := row.c.Shares(row.other, row.n); got != row.want {
			t.Errorf("%s: %v", row.name, got)
		}
	}
	long := talk("a", "b", "c")
	long.LatestKeys = long.LatestKeys[1:]
	if c.Shares(long, 1) || long.Shares(c, 1) {
		t.Error("one that has forgotten its first message")
	}
}

func TestIsDocument(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "\n": false, "{": true, "{\n \"messages\": [": true, `{"messages":[]}`: true, `{"messages":[]}` + "\n\n": true,
		`{"sessionId":"s"}`: false, `{"sessionId":"s"}` + "\n": false, `{"messages":[]}` + "\n{}": false, `{"sessionId":"s"}` + "\n{\"id\"": false,
		"[]": false, `{"messages":1}`: false,
	} {
		if got := document.Is([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestDocumentText cuts, splits and joins without touching any other byte.
func TestDocumentText(t *testing.T) {
	t.Parallel()
	doc := readGemini(t, "session-old.json")
	for n := range 7 {
		cut, ok := document.Cut(doc, n)
		if ok != (n <= 5) {
			t.Fatalf("cut to %d: %v", n, ok)
		}
		if !ok {
			continue
		}
		if c := conversation.NewConversation(agent.AgentTypeGemini); !c.AddDocument(cut) || c.Items() != n {
			t.Errorf("cut to %d has %d", n, c.Items())
		}
		if shared := bytes.TrimRight(doc[:len(cut)/2], "\n "); !bytes.HasPrefix(cut, shared[:len(shared)/2]) || !bytes.HasSuffix(cut, []byte("]\n}")) {
			t.Errorf("cut to %d: %s", n, cut)
		}
	}
	ids, ok := document.MessageIDs(doc)
	if !ok || !reflect.DeepEqual(ids, []string{"m-1", "m-2", "m-3", "m-4", "m-5"}) {
		t.Errorf("ids %q", ids)
	}
	for _, bad := range []string{"", "[]", "{", `{"messages":{}}`} {
		if _, ok := document.Cut([]byte(bad), 0); ok {
			t.Errorf("cut %q", bad)
		}
		if got := document.Split([]byte(bad), 0); len(got) != 1 || string(got[0]) != bad {
			t.Errorf("split %q: %q", bad, got)
		}
	}
	if got, ok := document.Join([][]byte{[]byte(`{"a":1,"messages":[]}`), []byte(`{"messages":[1]}`)}); !ok || string(got) != `{"a":1,"messages":[1]}` {
		t.Errorf("join: %s", got)
	}
}

func TestAnyDocumentComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := agenttest.JsonGen{T: t, Spaces: []string{"", "", " ", "\n  ", "\r\n\t"}}
		message := func() string {
			return g.List("{", "}", rapid.IntRange(0, 2).Draw(t, "n"), func() string {
				return `"id":` + rapid.SampledFrom([]string{`"a"`, `"b"`, `"c\"]"`, "null"}).Draw(t, "id")
			})
		}
		doc := []byte("{" + g.Space() + `"x":` + g.Text() + `,"messages":` + g.Array(message) + g.Space() + `,"y":` + g.Text() + "}" + g.Space())
		parts := document.Split(doc, rapid.IntRange(0, len(doc)).Draw(t, "limit"))
		if got, ok := document.Join(parts); len(parts) > 1 && (!ok || !bytes.Equal(got, doc)) {
			t.Fatalf("%q\nparts %q\ngave %q", doc, parts, got)
		}
	})
}

// FuzzGemini reads any transcript: storing in the middle makes no difference, a
// document that is cut is one, and what is split comes back.
func FuzzGemini(f *testing.F) {
	f.Add(readGemini(f, "session-new.jsonl"), 3)
	f.Add(readGemini(f, "session-old.json"), 1)
	f.Add([]byte(`{"$set":{"messages":[{"id":"a","type":"user","content":{"text":"x"}},1,[]]}}`+"\n"+`{"$rewindTo":"a"}`), 1)
	f.Fuzz(func(t *testing.T, transcript []byte, at int) {
		through, cut := conversation.NewConversation(agent.AgentTypeGemini), conversation.NewConversation(agent.AgentTypeGemini)
		for i, l := range bytes.Split(transcript, []byte("\n")) {
			if i == at {
				cut = stored(t, cut)
			}
			through.AddLine(l)
			cut.AddLine(l)
		}
		if !reflect.DeepEqual(stored(t, cut), stored(t, through)) {
			t.Fatalf("storing made a difference:\n%+v\n%+v", cut, through)
		}
		if len(through.Prompts) != len(through.PromptMessages) {
			t.Fatalf("%d prompts at %v", len(through.Prompts), through.PromptMessages)
		}
		conversation.CondenseFrom(agent.AgentTypeGemini, transcript, at, nil)
		conversation.PromptsFrom(agent.AgentTypeGemini, transcript, at)
		if short, ok := document.Cut(transcript, at); ok {
			if ids, ok := document.MessageIDs(short); !ok || len(ids) != at {
				t.Fatalf("cut to %d: %q", at, short)
			}
		}
		if parts := document.Split(transcript, 10); len(parts) > 1 {
			if got, ok := document.Join(parts); !ok || !bytes.Equal(got, transcript) {
				t.Fatalf("%q came back as %q", parts, got)
			}
		}
	})
}
