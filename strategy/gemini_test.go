package strategy

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
)

// chat is a session of Gemini's in a world, in either shape of its transcript.
type chat struct {
	*world
	sid      string
	path     string
	lines    bool
	messages []string
}

func newChat(t *testing.T, lines bool) *chat {
	w := newWorld(t)
	c := &chat{world: w, sid: "5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10", lines: lines}
	name := "session-2026-08-21T10-11-5d1f6d2e.json"
	if lines {
		name += "l"
	}
	c.path = filepath.Join(w.Home, ".gemini", "tmp", "shop", "chats", name)
	if err := os.MkdirAll(filepath.Dir(c.path), 0o755); err != nil {
		t.Fatal(err)
	}
	if lines {
		c.put(`{"sessionId":"x","startTime":"2026-08-21T10:11:05.000Z","kind":"main"}` + "\n")
	}
	return c
}

func (c *chat) put(text string) {
	c.t.Helper()
	f, err := os.OpenFile(c.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	f.Close()
}

// record writes a message: a line, or the whole document anew.
func (c *chat) record(kind, text string, more ...string) {
	c.t.Helper()
	m := fmt.Sprintf(`{"id":"m-%d","type":%q,"content":[{"text":%q}]%s}`, len(c.messages)+1, kind, text, strings.Join(append([]string{""}, more...), ","))
	c.messages = append(c.messages, m)
	if c.lines {
		c.put(m + "\n")
		return
	}
	doc := "{\n  \"sessionId\": \"x\",\n  \"n\": 1.50,\n  \"messages\": [\n    " + strings.Join(c.messages, ",\n    ") + "\n  ],\n  \"end\": {}\n}"
	if err := os.WriteFile(c.path, []byte(doc), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c *chat) hook(kind agent.EventType, prompt string) {
	c.t.Helper()
	c.event(kind, c.sid, func(ev *agent.Event) {
		ev.Agent, ev.AgentType, ev.TranscriptPath, ev.Prompt = agent.AgentNameGemini, agent.AgentTypeGemini, c.path, prompt
	})
}

const someTokens = `"tokens":{"input":10,"output":2,"cached":3}`

func (c *chat) turn(prompt string, do func()) {
	c.t.Helper()
	c.hook(agent.TurnStart, prompt)
	c.record("user", prompt)
	do()
	c.record("gemini", "Did: "+prompt, someTokens)
	c.hook(agent.TurnEnd, "")
}

func (c *chat) read(path string) string {
	c.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}

func (c *chat) stored(cp string) checkpoint.CommittedMetadata {
	c.t.Helper()
	var m checkpoint.CommittedMetadata
	if err := json.Unmarshal([]byte(c.metadata(cp, "0/metadata.json")), &m); err != nil {
		c.t.Fatal(err)
	}
	return m
}

func bothShapes(t *testing.T, test func(t *testing.T, c *chat)) {
	for name, lines := range map[string]bool{"document": false, "lines": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newChat(t, lines))
		})
	}
}

// TestGeminiDay has a turn, a commit, a turn that writes the transcript anew, and
// a commit of that.
func TestGeminiDay(t *testing.T) {
	t.Parallel()
	bothShapes(t, func(t *testing.T, c *chat) {
		c.turn("first", func() { c.Write("a.txt", "1\n") })
		c.turn("second", func() { c.Write("a.txt", "2\n") })
		c.Git("add", "a.txt")
		one := c.commit("one")
		if m := c.stored(one); m.Agent != agent.AgentTypeGemini || m.CheckpointTranscriptStart != 0 || m.TokenUsage == nil ||
			*m.TokenUsage != (agent.TokenUsage{InputTokens: 20, CacheReadTokens: 6, OutputTokens: 4, APICallCount: 2}) {
			t.Errorf("first commit: %+v, %+v", m, m.TokenUsage)
		}
		if got := c.metadata(one, "0/full.jsonl"); got != strings.TrimSuffix(c.read(c.path), "\n") {
			t.Errorf("stored %q", got)
		}
		c.turn("third", func() { c.Write("a.txt", "3\n") })
		c.Git("add", "a.txt")
		two := c.commit("two")
		m := c.stored(two)
		if m.CheckpointTranscriptStart != 4 || *m.TokenUsage != (agent.TokenUsage{InputTokens: 10, CacheReadTokens: 3, OutputTokens: 2, APICallCount: 1}) {
			t.Errorf("second commit: %+v, %+v", m, m.TokenUsage)
		}
		if got := c.metadata(two, "0/prompt.txt"); got != "first\n\n---\n\nsecond\n\n---\n\nthird" {
			t.Errorf("prompts %q", got)
		}
		content, err := checkpoint.NewRecords(c.engine().repo).Session(c.ctx, mustCheckpoint(t, two), 0)
		if err != nil || content.HashMismatch != nil || string(content.Transcript) != c.read(c.path) {
			t.Errorf("read back: %v, %v", err, content)
		}
		if left := c.shadows(); len(left) > 0 {
			t.Errorf("left over: %q", left)
		}
	})
}

func mustCheckpoint(t *testing.T, s string) id.CheckpointID {
	t.Helper()
	cp, err := id.NewCheckpointID(s)
	if err != nil {
		t.Fatal(err)
	}
	return cp
}

// TestGeminiCommitInMidTurn is finalised at the turn's end, though the last message
// that the commit saw grows afterwards.
func TestGeminiCommitInMidTurn(t *testing.T) {
	t.Parallel()
	bothShapes(t, func(t *testing.T, c *chat) {
		c.hook(agent.TurnStart, "commit it")
		c.record("user", "commit it")
		c.Write("a.txt", "1\n")
		c.record("gemini", "Writing", `"toolCalls":[{"id":"w1","name":"write_file","args":{"file_path":"a.txt"},"status":"success"}]`)
		c.Git("add", "a.txt")
		c.tty = true // evidence alone decides
		cp := c.commit("mid")
		c.tty = false
		if cp == "" {
			t.Fatal("not linked")
		}
		c.record("gemini", "Committed", someTokens)
		c.hook(agent.TurnEnd, "")
		if got := c.metadata(cp, "0/full.jsonl"); got != strings.TrimSuffix(c.read(c.path), "\n") {
			t.Errorf("not completed: %q", got)
		}
		if st := c.state(c.sid); st.CheckpointTranscriptStart != 3 || len(st.TurnCheckpointIDs) != 0 {
			t.Errorf("%+v", st)
		}
	})
}

// A command that is over, as its transcript tells, has made what a commit in its turn
// holds.
func TestGeminiCommandInMidTurn(t *testing.T) {
	t.Parallel()
	bothShapes(t, func(t *testing.T, c *chat) {
		c.turn("look", func() {})
		c.hook(agent.TurnStart, "make it")
		c.record("user", "make it")
		c.Write("made.txt", "1\n")
		c.record("gemini", "Making", `"toolCalls":[{"id":"r1","name":"run_shell_command","args":{"command":"make"},"status":"success"}]`)
		c.Git("add", "made.txt")
		c.tty = true
		cp := c.commit("mid")
		if cp == "" {
			t.Fatal("not linked")
		}
		if got := c.metadata(cp, "metadata.json"); !strings.Contains(strings.Join(strings.Fields(got), ""), `"files_touched":["made.txt"]`) {
			t.Errorf("lists other files than made.txt: %s", got)
		}
	})
}

// TestGeminiRewind takes the conversation back from its own bytes, and forward again.
func TestGeminiRewind(t *testing.T) {
	t.Parallel()
	bothShapes(t, func(t *testing.T, c *chat) {
		c.turn("first", func() { c.Write("a.txt", "1\n") })
		first := c.read(c.path)
		c.turn("second, with AKIAQ3EGUPZZXFTRKW4N", func() { c.Write("a.txt", "2\n") })
		second := c.read(c.path)
		points := c.points()
		out := c.rewind(points[1].ID)
		if len(out.Warnings) > 0 || c.Read("a.txt") != "1\n" || c.read(c.path) != first {
			t.Fatalf("back: %q\n%s", out.Warnings, c.read(c.path))
		}
		if out.ResumeCommand != "gemini --resume "+c.sid {
			t.Errorf("resume with %q", out.ResumeCommand)
		}
		if kept := c.read(c.path + keptSuffix + "0001"); kept != second {
			t.Errorf("kept %q", kept)
		}
		if out := c.rewind(points[0].ID); len(out.Warnings) > 0 || c.read(c.path) != second || c.Read("a.txt") != "2\n" {
			t.Fatalf("forward: %q\n%s", out.Warnings, c.read(c.path))
		}
		c.rewind(points[1].ID)
		c.messages = c.messages[:2]
		c.turn("third", func() { c.Write("b.txt", "3\n") })
		c.Git("add", "-A")
		cp := c.commit("after")
		if got := c.metadata(cp, "0/prompt.txt"); got != "first\n\n---\n\nthird" {
			t.Errorf("prompts %q", got)
		}
		if got := c.metadata(cp, "0/full.jsonl"); got != strings.TrimSuffix(c.read(c.path), "\n") || strings.Contains(got, "second") {
			t.Errorf("stored %q", got)
		}
	})
}

// TestGeminiDocumentWhileWritten leaves what is stored as it was.
func TestGeminiDocumentWhileWritten(t *testing.T) {
	t.Parallel()
	c := newChat(t, false)
	c.turn("first", func() { c.Write("a.txt", "1\n") })
	whole := c.read(c.path)
	c.hook(agent.TurnStart, "second")
	c.Write("a.txt", "2\n")
	if err := os.WriteFile(c.path, []byte(whole[:len(whole)/2]), 0o600); err != nil {
		t.Fatal(err)
	}
	c.hook(agent.TurnEnd, "")
	if p := c.points(); len(p) != 2 || p[0].Message != "Second" {
		t.Fatalf("points %+v", p)
	}
	c.Git("add", "-A")
	cp := c.commit("x")
	if got := c.metadata(cp, "0/full.jsonl"); got != whole {
		t.Errorf("stored %q", got)
	}
	if err := os.WriteFile(c.path, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	c.hook(agent.SessionEnd, "")
}

// TestGeminiWithoutTranscript has only its hooks to learn from.
func TestGeminiWithoutTranscript(t *testing.T) {
	t.Parallel()
	c := newChat(t, false)
	c.hook(agent.TurnStart, "do it")
	c.Write("a.txt", "1\n")
	c.hook(agent.TurnEnd, "")
	c.hook(agent.SessionEnd, "")
	c.Git("add", "-A")
	cp := c.commit("x")
	if got := c.metadata(cp, "0/prompt.txt"); got != "do it" {
		t.Errorf("prompts %q", got)
	}
}

// TestAgentOfAnothersHooks is told by where the transcript lies, also later.
func TestAgentOfAnothersHooks(t *testing.T) {
	t.Parallel()
	c := newChat(t, false)
	c.event(agent.TurnStart, c.sid, func(ev *agent.Event) { ev.TranscriptPath, ev.Prompt = "", "hi" })
	if got := c.state(c.sid).AgentType; got != agent.AgentTypeClaudeCode {
		t.Fatalf("%q", got)
	}
	c.record("user", "hi")
	c.Write("a.txt", "1\n")
	c.hook(agent.TurnEnd, "")
	if got := c.state(c.sid).AgentType; got != agent.AgentTypeGemini {
		t.Errorf("%q", got)
	}
}

// TestTranscriptHome has a row for each thing that decides where a conversation is
// restored to.
func TestTranscriptHome(t *testing.T) {
	t.Parallel()
	const sid = "5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10"
	const file = "session-2026-08-21T10-11-5d1f6d2e.json"
	sum := agent.Gemini{}.Folders
	for name, row := range map[string]struct {
		agent  agent.Agent
		stored string
		before func(w *world, e *ManualCommitStrategy)
		want   string // below home; HASH is the folder named by the hash of the top
	}{
		"claude":                 {agent.ClaudeCode{}, "", nil, ".claude/projects/DASHED/" + sid + ".jsonl"},
		"claude, another place":  {agent.ClaudeCode{}, ".claude/projects/other/" + sid + ".jsonl", nil, ".claude/projects/DASHED/" + sid + ".jsonl"},
		"claude, leading out":    {agent.ClaudeCode{}, ".claude/projects/../../.bashrc", nil, ".claude/projects/DASHED/" + sid + ".jsonl"},
		"claude, another's file": {agent.ClaudeCode{}, ".claude/projects/x/settings.json", nil, ".claude/projects/DASHED/" + sid + ".jsonl"},
		"claude, test folder":    {agent.ClaudeCode{}, "", func(w *world, e *ManualCommitStrategy) { e.TranscriptDirs = testDirs(w) }, "c/" + sid + ".jsonl"},
		"gemini":                 {agent.Gemini{}, "", nil, ".gemini/tmp/HASH/chats/session-2026-08-21T10-11-5d1f6d2e.json"},
		"gemini, elsewhere":      {agent.Gemini{}, ".gemini/tmp/other/chats/" + file, nil, ".gemini/tmp/HASH/chats/" + file},
		"gemini, there":          {agent.Gemini{}, ".gemini/tmp/other/chats/" + file, func(w *world, _ *ManualCommitStrategy) { w.homeFile(".gemini/tmp/other/chats/" + file) }, ".gemini/tmp/other/chats/" + file},
		"gemini, listed":         {agent.Gemini{}, "", func(w *world, _ *ManualCommitStrategy) { w.listProject() }, ".gemini/tmp/slug/chats/session-2026-08-21T10-11-5d1f6d2e.json"},
		"gemini, found": {agent.Gemini{}, "", func(w *world, _ *ManualCommitStrategy) {
			w.listProject()
			w.homeFile(".gemini/tmp/slug/chats/session-2026-01-01T00-00-5d1f6d2e.jsonl")
		}, ".gemini/tmp/slug/chats/session-2026-01-01T00-00-5d1f6d2e.jsonl"},
		"gemini, leading out":       {agent.Gemini{}, ".gemini/settings.json", nil, ".gemini/tmp/HASH/chats/session-2026-08-21T10-11-5d1f6d2e.json"},
		"gemini, another session's": {agent.Gemini{}, ".gemini/tmp/x/chats/session-2026-01-01T00-00-00000000.json", nil, ".gemini/tmp/HASH/chats/session-2026-08-21T10-11-5d1f6d2e.json"},
		"gemini, test folder":       {agent.Gemini{}, ".gemini/tmp/other/chats/" + file, func(w *world, e *ManualCommitStrategy) { e.TranscriptDirs = testDirs(w) }, "g/session-2026-08-21T10-11-5d1f6d2e.json"},
		"anybody":                   {agent.Generic{}, ".bashrc", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			e := w.engine()
			if row.before != nil {
				row.before(w, e)
			}
			got := e.transcriptHome(w.ctx, row.agent, sessionID(t, sid), row.stored, []byte("{\n\"startTime\": \"2026-08-21T10:11:05.000Z\", \"messages\": []\n}"))
			folders := sum(w.Home, e.repo.Top, readIfThere)
			hash := filepath.Base(filepath.Dir(folders[len(folders)-2]))
			dashed := filepath.Base(filepath.Dir(folders[len(folders)-1]))
			want := strings.NewReplacer("HASH", hash, "DASHED", dashed).Replace(row.want)
			if want != "" {
				want = filepath.Join(w.Home, want)
			}
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func testDirs(w *world) map[agent.AgentName]string {
	return map[agent.AgentName]string{
		agent.AgentNameClaudeCode: filepath.Join(w.Home, "c"), agent.AgentNameGemini: filepath.Join(w.Home, "g"),
	}
}

// homeFile makes a file below home.
func (w *world) homeFile(name string) {
	w.t.Helper()
	path := filepath.Join(w.Home, name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte("x"), 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// listProject makes Gemini's list of projects.
func (w *world) listProject() {
	w.t.Helper()
	w.homeFile(".gemini/projects.json")
	text := fmt.Sprintf(`{"projects":{%q:"slug"}}`, w.engine().repo.Top)
	if err := os.WriteFile(filepath.Join(w.Home, ".gemini", "projects.json"), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func TestGeminiRewindOfTheBranch(t *testing.T) {
	t.Parallel()
	bothShapes(t, func(t *testing.T, c *chat) {
		c.auto = true
		c.hooked().Write("own.txt", "x\n")
		c.Git("add", "own.txt")
		c.Git("commit", "-qm", "own")
		c.Git("switch", "-qc", "feature")
		c.turn("first", func() { c.Write("a.txt", "1\n") })
		first, then := c.Head(), c.read(c.path)
		c.turn("second", func() { c.Write("a.txt", "2\n") })
		var at RewindPoint
		for _, p := range c.points() {
			if p.ID == first {
				at = p
			}
		}
		_, warnings, err := c.engine().RewindBranch(c.ctx, at)
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%v, %v", warnings, err)
		}
		if got := c.read(c.path); got != then {
			t.Errorf("the conversation is\n%s\nnot\n%s", got, then)
		}
		c.messages = c.messages[:2]
		c.turn("third", func() { c.Write("a.txt", "3\n") })
		if got := c.metadata(c.trailer("HEAD"), "0/prompt.txt"); got != "third" {
			t.Errorf("prompts %q", got)
		}
		if got := c.stored(c.trailer("HEAD")).CheckpointTranscriptStart; got != 2 {
			t.Errorf("the third turn begins at %d", got)
		}
	})
}

// A local transcript with the secrets in it is not replaced by itself without them.
func TestRestoredLogsKeepTheAgentsOwn(t *testing.T) {
	t.Parallel()
	bothShapes(t, func(t *testing.T, c *chat) {
		c.turn("use \"ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8\" for it", func() { c.Write("a.txt", "1\n") })
		c.Git("add", "a.txt")
		c.commit("one")
		own := c.read(c.path)
		out, err := c.engine().RestoreLogs(c.ctx, c.points()[0], false)
		if err != nil || len(out.Skipped) > 0 || len(out.Restored) != 1 {
			t.Fatalf("%+v, %v", out, err)
		}
		if got := c.read(c.path); got != own {
			t.Errorf("the transcript is now\n%s", got)
		}
	})
}
