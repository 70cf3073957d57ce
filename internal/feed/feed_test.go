package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/id"
	"entire/internal/redact"
	"entire/session"
)

// lab is a session with a transcript, and a store that is fed with it. Every
// event has a feed of its own, as in a process of its own.
type lab struct {
	t    testing.TB
	base string
	path string // of the transcript
	kind agent.AgentType
	sid  id.SessionID
	now  time.Time
	n    int // records so far
	last string

	turns bool
}

func newLab(t testing.TB) *lab {
	t.Helper()
	sid, err := id.ParseSessionID("5e55104f-0000-4000-8000-000000000001")
	if err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	return &lab{t: t, base: filepath.Join(top, "data", "sessions"), path: filepath.Join(top, "agent", sid.String()+".jsonl"),
		kind: agent.AgentTypeClaudeCode, sid: sid, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

func (l *lab) feed() *Feed {
	return &Feed{Base: l.base, Project: "g-test0000", Turns: l.turns, Redact: redact.Line, Now: func() time.Time { return l.now }}
}

func (l *lab) dir() string { return filepath.Join(l.base, l.sid.String()) }

func (l *lab) try(kind agent.EventType, fill ...func(*agent.Event)) error {
	l.now = l.now.Add(time.Second)
	ev := agent.Event{Type: kind, Agent: agent.AgentNameClaudeCode, AgentType: l.kind, SessionID: l.sid, TranscriptPath: l.path, Dir: "/work", Time: l.now}
	for _, fn := range fill {
		fn(&ev)
	}
	return l.feed().Event(context.Background(), ev)
}

func (l *lab) event(kind agent.EventType, fill ...func(*agent.Event)) {
	l.t.Helper()
	if err := l.try(kind, fill...); err != nil {
		l.t.Fatal(err)
	}
}

// record is one line of the agent's, following the one before.
func (l *lab) record(kind string, message any, more map[string]any) []byte {
	l.n++
	r := map[string]any{"type": kind, "uuid": fmt.Sprintf("u-%04d", l.n), "parentUuid": l.last, "sessionId": l.sid.String(),
		"timestamp": l.now.Format(time.RFC3339), "message": message}
	if l.last == "" {
		r["parentUuid"] = nil
	}
	maps.Copy(r, more)
	l.last = r["uuid"].(string)
	line, err := json.Marshal(r)
	if err != nil {
		l.t.Fatal(err)
	}
	return append(line, '\n')
}

// exchange is a prompt, an answer with a tool's call, its result, and a line that
// is no message.
func (l *lab) exchange(text string) []byte {
	call := fmt.Sprintf("toolu_%d", l.n)
	return bytes.Join([][]byte{
		l.record("user", map[string]any{"role": "user", "content": text}, nil),
		l.record("assistant", map[string]any{"role": "assistant", "id": "msg_" + call, "model": "claude-test", "content": []any{
			map[string]any{"type": "text", "text": "I will."},
			map[string]any{"type": "tool_use", "id": call, "name": "Read", "input": map[string]any{"file_path": "/work/f"}},
		}, "usage": map[string]any{"input_tokens": 2, "output_tokens": 3}}, nil),
		l.record("user", map[string]any{"role": "user", "content": []any{
			map[string]any{"type": "tool_result", "tool_use_id": call, "content": strings.Repeat("what is in the file ", 20)}}}, nil),
		[]byte(`{"type":"progress","data":"the same each time"}` + "\n"),
	}, nil)
}

func (l *lab) append(path string, data []byte) {
	l.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		l.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) say(text string) { l.t.Helper(); l.append(l.path, l.exchange(text)) }

func (l *lab) read(path string) []byte {
	l.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		l.t.Fatal(err)
	}
	return data
}

func (l *lab) raw() string { return string(l.read(filepath.Join(l.dir(), "transcript.jsonl"))) }

func (l *lab) messages() []session.Message {
	l.t.Helper()
	store := session.OpenStore(l.base)
	defer store.Close()
	out, err := store.LoadMessages(l.sid.String())
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

func (l *lab) metadata() session.SessionMetadata {
	l.t.Helper()
	store := session.OpenStore(l.base)
	defer store.Close()
	meta, err := store.Metadata(context.Background(), l.sid.String())
	if err != nil {
		l.t.Fatal(err)
	}
	return meta
}

// equals compares the store with a whole transcript.
func (l *lab) equals(transcript []byte) {
	l.t.Helper()
	clean := redact.Lines(transcript)
	want, err := json.MarshalIndent(conversation.Normalize(l.kind, clean), "", " ")
	if err != nil {
		l.t.Fatal(err)
	}
	got, err := json.MarshalIndent(l.messages(), "", " ")
	if err != nil {
		l.t.Fatal(err)
	}
	if string(got) != string(want) {
		l.t.Errorf("messages are\n%s\nwant\n%s", uuids(l.messages()), uuids(conversation.Normalize(l.kind, clean)))
	}
	if raw := l.raw(); raw != string(clean) {
		l.t.Errorf("raw stream of %d bytes in %d lines, want %d in %d", len(raw), strings.Count(raw, "\n"), len(clean), bytes.Count(clean, []byte("\n")))
	}
}

func uuids(messages []session.Message) string {
	var out []string
	for _, m := range messages {
		out = append(out, m.UUID)
	}
	return strings.Join(out, " ")
}

func prompt(text string) func(*agent.Event) { return func(ev *agent.Event) { ev.Prompt = text } }

func TestStoreFollowsTheTranscript(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.turns = true
	l.event(agent.SessionStart, func(ev *agent.Event) { ev.Model = "claude-first" })
	if m := l.metadata(); m.CWD != "/work" || m.Model != "claude-first" || m.AgentType != l.kind || m.AgentName != "claude-code" || m.ProjectHash != "g-test0000" || m.CreatedAt != l.now {
		t.Errorf("metadata of a new session: %+v", m)
	}
	l.event(agent.TurnStart, prompt("  make it\nwork "))
	if m := l.metadata(); m.Title != "make it work" {
		t.Errorf("title %q", m.Title)
	}
	if !InTurn(l.dir()) {
		t.Error("not in a turn")
	}
	l.say("make it work")
	l.event(agent.Todo)
	l.equals(l.read(l.path))
	l.append(l.path, []byte(`{"type":"user","uuid":"torn","mess`))
	l.event(agent.TurnEnd)
	if InTurn(l.dir()) {
		t.Error("still in a turn")
	}
	l.append(l.path, []byte(`age":{"role":"user","content":"late"}}`+"\n"))
	for i := range 5 {
		l.say(fmt.Sprintf("prompt %d", i))
		l.event(agent.TurnEnd)
		l.equals(l.read(l.path))
	}
	l.event(agent.SessionEnd, func(ev *agent.Event) { ev.Reason = "logout" })
	m := l.metadata()
	if m.TurnCount != 7 || m.MessageCount != 19 || m.ExitReason != "logout" || m.EndedAt == nil || !m.EndedAt.Equal(l.now) || m.TotalTokens != 30 || m.Model != "claude-test" {
		t.Errorf("metadata in the end: %+v", m)
	}
	l.event(agent.SessionStart)
	if m := l.metadata(); m.EndedAt != nil || m.ExitReason != "" || m.TurnCount != 7 {
		t.Errorf("metadata of a session that goes on: %+v", m)
	}
}

// TestNothingNewWritesNothing: most events find nothing.
func TestNothingNewWritesNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.say("one")
	l.event(agent.TurnEnd)
	before := listing(t, l.dir())
	l.event(agent.TurnEnd)
	l.event(agent.Todo)
	if after := listing(t, l.dir()); after != before {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
}

// listing is what is in a folder and when it was written.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&out, e.Name(), fi.Size(), fi.ModTime())
	}
	return out.String()
}

func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	secret := "gh" + "p_" + "wJ4lrXUtnFEMI8K7MDENGbPxRfiCYq0Zk1sH"
	l.event(agent.TurnStart, prompt("use "+secret))
	l.say("use " + secret)
	l.event(agent.SessionEnd, func(ev *agent.Event) { ev.Reason = secret })
	entries, err := os.ReadDir(l.dir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(string(l.read(filepath.Join(l.dir(), e.Name()))), secret) {
			t.Errorf("%s holds the secret", e.Name())
		}
	}
	l.equals(l.read(l.path))
}

func TestTranscriptDeleted(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.say("one")
	l.event(agent.TurnEnd)
	all := l.read(l.path)
	for _, gone := range []func() error{
		func() error { return os.Truncate(l.path, 0) },
		func() error { return os.Remove(l.path) },
	} {
		if err := gone(); err != nil {
			t.Fatal(err)
		}
		l.event(agent.TurnEnd)
		l.event(agent.SessionEnd)
		l.equals(all)
	}
}

// TestTranscriptRewritten: what is new is appended, what was there stays, and is the
// conversation no more where that goes on from before it.
func TestTranscriptRewritten(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	one, two := l.exchange("one"), l.exchange("two")
	l.append(l.path, append(bytes.Clone(one), two...))
	l.event(agent.TurnEnd)
	l.last = "u-0003"
	three := l.exchange("another two")
	for _, c := range []struct {
		name string
		text []byte
	}{
		{"cut and gone on", append(bytes.Clone(one), three...)},
		{"begun with the last", append(bytes.Clone(two), three...)},
	} {
		name, text := c.name, c.text
		if err := os.WriteFile(l.path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		l.event(agent.TurnEnd)
		if got, want := uuids(l.messages()), "u-0001 u-0002 u-0003 u-0007 u-0008 u-0009"; got != want {
			t.Errorf("%s: %s", name, got)
		}
		if got, want := uuids(l.history()), "u-0001 u-0002 u-0003 u-0004 u-0005 u-0006 u-0007 u-0008 u-0009"; got != want {
			t.Errorf("%s: ever said: %s", name, got)
		}
		record := string(session.StreamRewind(int64(len(one)))) + "\n"
		if raw, want := l.raw(), string(one)+string(two)+record+string(three); raw != want {
			t.Errorf("%s: raw stream of %d bytes, want %d", name, len(raw), len(want))
		}
	}
	l.say("on")
	l.event(agent.TurnEnd)
	if n := len(l.messages()); n != 9 {
		t.Errorf("%d messages after going on", n)
	}
}

func TestTranscriptMoved(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.say("one")
	l.event(agent.TurnEnd)
	moved := l.path + "-moved.jsonl"
	if err := os.Rename(l.path, moved); err != nil {
		t.Fatal(err)
	}
	l.path = moved
	l.say("two")
	l.event(agent.TurnEnd)
	l.equals(l.read(l.path))
}

// TestStoreOutOfReach: what could not be stored is stored when it can be.
func TestStoreOutOfReach(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	if err := os.MkdirAll(filepath.Dir(filepath.Dir(l.base)), 0o755); err != nil {
		t.Fatal(err)
	}
	inTheWay := filepath.Dir(l.base)
	if err := os.WriteFile(inTheWay, []byte("no folder"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.say("one")
	if err := l.try(agent.TurnEnd); err == nil || strings.Contains(err.Error(), "\n") {
		t.Fatalf("fed a store that is none: %v", err)
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	l.say("two")
	l.event(agent.TurnEnd)
	l.equals(l.read(l.path))

	// A file of the session's cannot be written for a while.
	file := filepath.Join(l.dir(), "messages.jsonl")
	kept := l.read(file)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	l.say("three")
	if err := l.try(agent.TurnEnd); err == nil {
		t.Fatal("no error")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, kept, 0o600); err != nil {
		t.Fatal(err)
	}
	l.say("four")
	l.event(agent.TurnEnd)
	l.equals(l.read(l.path))
}

func TestStoreLostFiles(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*lab) error{
		"messages":   func(l *lab) error { return os.Remove(filepath.Join(l.dir(), "messages.jsonl")) },
		"raw stream": func(l *lab) error { return os.Remove(filepath.Join(l.dir(), "transcript.jsonl")) },
		"position":   func(l *lab) error { return os.Remove(filepath.Join(l.dir(), positionName)) },
		"its half":   func(l *lab) error { return os.Truncate(filepath.Join(l.dir(), positionName), 40) },
		"its normaliser": func(l *lab) error {
			path := filepath.Join(l.dir(), positionName)
			head, _, _ := bytes.Cut(l.read(path), []byte("\n"))
			return os.WriteFile(path, append(head, "\n{\"lines\":\"many\"}\n"...), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.say("one")
			l.event(agent.TurnEnd)
			if err := lose(l); err != nil {
				t.Fatal(err)
			}
			l.say("two")
			l.event(agent.TurnEnd)
			l.equals(l.read(l.path))
			l.say("three")
			l.event(agent.TurnEnd)
			l.equals(l.read(l.path))
		})
	}
}

func TestSessionDeletedInBetween(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.say("one")
	l.event(agent.TurnEnd)
	store := session.OpenStore(l.base)
	if err := store.Delete(l.sid.String()); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	l.say("two")
	l.event(agent.TurnEnd)
	l.equals(l.read(l.path))
}

func TestSubagents(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.say("delegate")
	main := l.read(l.path)
	aside := func(aid string) string {
		return filepath.Join(filepath.Dir(l.path), l.sid.String(), "subagents", "agent-"+aid+".jsonl")
	}
	side := func(aid, text string) []byte {
		was := l.last
		l.last = ""
		line := l.record("user", map[string]any{"role": "user", "content": text}, map[string]any{"isSidechain": true, "agentId": aid})
		l.last = was
		return line
	}
	a := side("a1", "find it")
	l.append(aside("a1"), a)
	l.event(agent.TaskEnd, func(ev *agent.Event) { ev.AgentID = "a1" })
	b, more := side("b2", "and this"), side("a1", "found")
	l.append(aside("b2"), b)
	l.append(aside("a1"), more)
	l.event(agent.TurnEnd)
	l.event(agent.SessionEnd)
	got := map[string]string{}
	for _, m := range l.messages() {
		if m.Sidechain != (m.AgentID != "") {
			t.Errorf("message %+v", m)
		}
		got[m.AgentID] += m.Content + ";"
	}
	if got["a1"] != "find it;found;" || got["b2"] != "and this;" {
		t.Errorf("subagents said %q", got)
	}
	if raw := l.raw(); raw != string(main) {
		t.Errorf("the session's stream is %q", raw)
	}
	for aid, want := range map[string]string{"a1": string(a) + string(more), "b2": string(b)} {
		if raw := string(l.read(filepath.Join(l.dir(), "agents", aid+".jsonl"))); raw != want {
			t.Errorf("stream of %s: %q, want %q", aid, raw, want)
		}
	}
	if m := l.metadata(); m.TurnCount != 1 || m.MessageCount != 6 {
		t.Errorf("metadata %+v", m)
	}
	// Its transcript begins anew.
	if err := os.WriteFile(aside("a1"), more, 0o600); err != nil {
		t.Fatal(err)
	}
	l.say("on")
	l.event(agent.TurnEnd)
	l.event(agent.TurnEnd)
	if n := len(l.messages()); n != 9 {
		t.Errorf("%d messages: %s", n, uuids(l.messages()))
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.kind = agent.AgentTypeGemini
	l.path = strings.TrimSuffix(l.path, "jsonl") + "json"
	var messages []any
	write := func() []byte {
		text, err := json.MarshalIndent(map[string]any{"sessionId": l.sid.String(), "projectHash": "x", "messages": messages}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(l.path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return text
	}
	add := func(id, kind, text string) {
		messages = append(messages, map[string]any{"id": id, "type": kind, "timestamp": "2026-01-02T03:04:05Z", "content": text})
	}
	add("m1", "user", "hello")
	write()
	l.event(agent.TurnEnd)
	add("m2", "gemini", "hi")
	add("m3", "user", "more")
	doc := write()
	l.event(agent.TurnEnd)
	if err := os.WriteFile(l.path, doc[:len(doc)/2], 0o600); err != nil { // being written
		t.Fatal(err)
	}
	if err := l.try(agent.TurnEnd); err == nil {
		t.Error("half a document was read")
	}
	if err := os.Remove(filepath.Join(l.dir(), positionName)); err != nil {
		t.Fatal(err)
	}
	doc = write()
	l.event(agent.TurnEnd)
	l.event(agent.TurnEnd)
	if got := uuids(l.messages()); got != "m1 m2 m3" {
		t.Errorf("messages %s", got)
	}
	if got := l.read(filepath.Join(l.dir(), "transcript.json")); string(got) != string(doc) {
		t.Errorf("the document is %q", got)
	}
}

// TestOwnTalk is an agent that keeps no transcript.
func TestOwnTalk(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.kind, l.path = "Robot", ""
	l.event(agent.SessionStart)
	for i := range 3 {
		text := fmt.Sprintf("do %d", i)
		l.event(agent.TurnStart, prompt(text))
		l.event(agent.TurnEnd, prompt(text), func(ev *agent.Event) { ev.Answer, ev.Files = "done", []string{"/work/f"} })
	}
	l.event(agent.TurnEnd, prompt("and only told at the end"))
	var got []string
	for _, m := range l.messages() {
		if m.Role != agent.RoleTool {
			got = append(got, m.Role+": "+m.Content)
		}
	}
	var want []string
	for i := range 3 {
		want = append(want, fmt.Sprintf("user: do %d", i), "assistant: done")
	}
	want = append(want, "user: and only told at the end")
	for i, m := range got {
		if m == "assistant: " { // a tool's call
			got[i] = ""
		}
	}
	if g := strings.Join(strings.Fields(strings.Join(got, "\n")), " "); g != strings.Join(strings.Fields(strings.Join(want, "\n")), " ") {
		t.Errorf("said %q", got)
	}
	if m := l.metadata(); m.TurnCount != 4 || m.Title != "do 0" {
		t.Errorf("metadata %+v", m)
	}
}

func TestCostWhereTheTranscriptSays(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.say("one")
	l.append(l.path, []byte(`{"type":"assistant","uuid":"c1","costUSD":0.25,"message":{"role":"assistant","content":"x"}}`+"\n"))
	l.event(agent.TurnEnd)
	l.append(l.path, []byte(`{"type":"assistant","uuid":"c2","costUSD":0.5,"message":{"role":"assistant","content":"y"}}`+"\n"))
	l.event(agent.SessionEnd)
	if m := l.metadata(); m.TotalCostUSD != 0.75 {
		t.Errorf("cost %v", m.TotalCostUSD)
	}
}

func TestImportAndAdopt(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.say("one")
	for range 2 {
		if err := l.feed().Import(t.Context(), l.sid, l.kind, l.path, "/work"); err != nil {
			t.Fatal(err)
		}
	}
	l.equals(l.read(l.path))
	store := session.OpenStore(l.base)
	defer store.Close()
	fork, err := id.ParseSessionID("fork-1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Fork(l.sid.String(), fork.String()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(filepath.Dir(l.path), "fork-1.jsonl")
	l.append(path, l.read(l.path))
	if err := l.feed().Adopt(t.Context(), fork, l.kind, path); err != nil {
		t.Fatal(err)
	}
	l.sid, l.path = fork, path
	l.say("two")
	l.event(agent.TurnEnd)
	if got := uuids(l.messages()); got != uuids(conversation.Normalize(l.kind, l.read(path))) {
		t.Errorf("messages of the fork: %s", got)
	}
	if own := l.read(filepath.Join(l.dir(), "messages.jsonl")); bytes.Count(own, []byte("\n")) != 3 {
		t.Errorf("the fork's own messages:\n%s", own)
	}
}

func FuzzPosition(f *testing.F) {
	f.Add([]byte(`{"version":1,"main":{"offset":3,"line":2},"agents":{"a":{"offset":1,"line":3}},"messages":7}` + "\n{}\n{}\n"))
	f.Add([]byte(`{"version":1,"main":{"offset":3,"line":1},"agents":{"../a":null},"messages":-1}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, ok := decodePosition(data)
		if !ok {
			return
		}
		out, err := p.encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := decodePosition(out); !ok {
			t.Errorf("%q became %q, which cannot be read", data, out)
		}
	})
}
