package transcript_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/claude"
	"entire/agent/gemini"
	"entire/agent/generic"
	"entire/checkpoint/records"
	"entire/id"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

// TestGeminiDay has a turn, a commit, a turn that writes the transcript anew, and
// a commit of that.
func TestGeminiDay(t *testing.T) {
	t.Parallel()
	enginetest.BothShapes(t, func(t *testing.T, c *enginetest.Chat) {
		c.Turn("first", func() { c.Write("a.txt", "1\n") })
		c.Turn("second", func() { c.Write("a.txt", "2\n") })
		c.Git("add", "a.txt")
		one := c.CommitHooked("one")
		if m := c.Stored(one); m.Agent != agent.AgentTypeGemini || m.CheckpointTranscriptStart != 0 || m.TokenUsage == nil ||
			*m.TokenUsage != (agent.TokenUsage{InputTokens: 14, CacheReadTokens: 6, OutputTokens: 4, APICallCount: 2}) {
			t.Errorf("first commit: %+v, %+v", m, m.TokenUsage)
		}
		if got := c.Metadata(one, "0/full.jsonl"); got != strings.TrimSuffix(c.ReadTranscript(c.TranscriptPath), "\n") {
			t.Errorf("stored %q", got)
		}
		c.Turn("third", func() { c.Write("a.txt", "3\n") })
		c.Git("add", "a.txt")
		two := c.CommitHooked("two")
		m := c.Stored(two)
		if m.CheckpointTranscriptStart != 4 || *m.TokenUsage != (agent.TokenUsage{InputTokens: 7, CacheReadTokens: 3, OutputTokens: 2, APICallCount: 1}) {
			t.Errorf("second commit: %+v, %+v", m, m.TokenUsage)
		}
		if got := c.Metadata(two, "0/prompt.txt"); got != "first\n\n---\n\nsecond\n\n---\n\nthird" {
			t.Errorf("prompts %q", got)
		}
		content, err := records.NewReader(c.Engine().Repo).Session(c.Ctx, mustCheckpoint(t, two), 0)
		if err != nil || content.HashMismatch != nil || string(content.Transcript) != c.ReadTranscript(c.TranscriptPath) {
			t.Errorf("read back: %v, %v", err, content)
		}
		if left := c.Shadows(); len(left) > 0 {
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
	enginetest.BothShapes(t, func(t *testing.T, c *enginetest.Chat) {
		c.Hook(agent.TurnStart, "commit it")
		c.Record("user", "commit it")
		c.Write("a.txt", "1\n")
		c.Record("gemini", "Writing", `"toolCalls":[{"id":"w1","name":"write_file","args":{"file_path":"a.txt"},"status":"success"}]`)
		c.Git("add", "a.txt")
		c.Tty = true // evidence alone decides
		cp := c.CommitHooked("mid")
		c.Tty = false
		if cp == "" {
			t.Fatal("not linked")
		}
		c.Record("gemini", "Committed", enginetest.SomeTokens)
		c.Hook(agent.TurnEnd, "")
		if got := c.Metadata(cp, "0/full.jsonl"); got != strings.TrimSuffix(c.ReadTranscript(c.TranscriptPath), "\n") {
			t.Errorf("not completed: %q", got)
		}
		if st := c.State(c.Sid); st.CheckpointTranscriptStart != 3 || len(st.TurnCheckpointIDs) != 0 {
			t.Errorf("%+v", st)
		}
	})
}

// A command that is over, as its transcript tells, has made what a commit in its turn
// holds.
func TestGeminiCommandInMidTurn(t *testing.T) {
	t.Parallel()
	enginetest.BothShapes(t, func(t *testing.T, c *enginetest.Chat) {
		c.Turn("look", func() {})
		c.Hook(agent.TurnStart, "make it")
		c.Record("user", "make it")
		c.Write("made.txt", "1\n")
		c.Record("gemini", "Making", `"toolCalls":[{"id":"r1","name":"run_shell_command","args":{"command":"make"},"status":"success"}]`)
		c.Git("add", "made.txt")
		c.Tty = true
		cp := c.CommitHooked("mid")
		if cp == "" {
			t.Fatal("not linked")
		}
		if got := c.Metadata(cp, "metadata.json"); !strings.Contains(strings.Join(strings.Fields(got), ""), `"files_touched":["made.txt"]`) {
			t.Errorf("lists other files than made.txt: %s", got)
		}
	})
}

// TestGeminiRewind takes the conversation back from its own bytes, and forward again.
func TestGeminiRewind(t *testing.T) {
	t.Parallel()
	enginetest.BothShapes(t, func(t *testing.T, c *enginetest.Chat) {
		c.Turn("first", func() { c.Write("a.txt", "1\n") })
		first := c.ReadTranscript(c.TranscriptPath)
		c.Turn("second, with AKIAQ3EGUPZZXFTRKW4N", func() { c.Write("a.txt", "2\n") })
		second := c.ReadTranscript(c.TranscriptPath)
		points := c.Points()
		out := c.Rewind(points[1].ID)
		if len(out.Warnings) > 0 || c.Read("a.txt") != "1\n" || c.ReadTranscript(c.TranscriptPath) != first {
			t.Fatalf("back: %q\n%s", out.Warnings, c.ReadTranscript(c.TranscriptPath))
		}
		if out.ResumeCommand != "gemini --resume "+c.Sid {
			t.Errorf("resume with %q", out.ResumeCommand)
		}
		if kept := c.ReadTranscript(c.TranscriptPath + transcript.KeptSuffix + "0001"); kept != second {
			t.Errorf("kept %q", kept)
		}
		if out := c.Rewind(points[0].ID); len(out.Warnings) > 0 || c.ReadTranscript(c.TranscriptPath) != second || c.Read("a.txt") != "2\n" {
			t.Fatalf("forward: %q\n%s", out.Warnings, c.ReadTranscript(c.TranscriptPath))
		}
		c.Rewind(points[1].ID)
		c.Messages = c.Messages[:2]
		c.Turn("third", func() { c.Write("b.txt", "3\n") })
		c.Git("add", "-A")
		cp := c.CommitHooked("after")
		if got := c.Metadata(cp, "0/prompt.txt"); got != "first\n\n---\n\nthird" {
			t.Errorf("prompts %q", got)
		}
		if got := c.Metadata(cp, "0/full.jsonl"); got != strings.TrimSuffix(c.ReadTranscript(c.TranscriptPath), "\n") || strings.Contains(got, "second") {
			t.Errorf("stored %q", got)
		}
	})
}

// TestGeminiDocumentWhileWritten leaves what is stored as it was.
func TestGeminiDocumentWhileWritten(t *testing.T) {
	t.Parallel()
	c := enginetest.NewChat(t, false)
	c.Turn("first", func() { c.Write("a.txt", "1\n") })
	whole := c.ReadTranscript(c.TranscriptPath)
	c.Hook(agent.TurnStart, "second")
	c.Write("a.txt", "2\n")
	if err := os.WriteFile(c.TranscriptPath, []byte(whole[:len(whole)/2]), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Hook(agent.TurnEnd, "")
	if p := c.Points(); len(p) != 2 || p[0].Message != "Second" {
		t.Fatalf("points %+v", p)
	}
	c.Git("add", "-A")
	cp := c.CommitHooked("x")
	if got := c.Metadata(cp, "0/full.jsonl"); got != whole {
		t.Errorf("stored %q", got)
	}
	if err := os.WriteFile(c.TranscriptPath, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Hook(agent.SessionEnd, "")
}

// TestGeminiWithoutTranscript has only its hooks to learn from.
func TestGeminiWithoutTranscript(t *testing.T) {
	t.Parallel()
	c := enginetest.NewChat(t, false)
	c.Hook(agent.TurnStart, "do it")
	c.Write("a.txt", "1\n")
	c.Hook(agent.TurnEnd, "")
	c.Hook(agent.SessionEnd, "")
	c.Git("add", "-A")
	cp := c.CommitHooked("x")
	if got := c.Metadata(cp, "0/prompt.txt"); got != "do it" {
		t.Errorf("prompts %q", got)
	}
}

// TestAgentOfAnothersHooks is told by where the transcript lies, also later.
func TestAgentOfAnothersHooks(t *testing.T) {
	t.Parallel()
	c := enginetest.NewChat(t, false)
	c.Event(agent.TurnStart, c.Sid, func(ev *agent.Event) { ev.TranscriptPath, ev.Prompt = "", "hi" })
	if got := c.State(c.Sid).AgentType; got != agent.AgentTypeClaudeCode {
		t.Fatalf("%q", got)
	}
	c.Record("user", "hi")
	c.Write("a.txt", "1\n")
	c.Hook(agent.TurnEnd, "")
	if got := c.State(c.Sid).AgentType; got != agent.AgentTypeGemini {
		t.Errorf("%q", got)
	}
}

// TestTranscriptHome has a row for each thing that decides where a conversation is
// restored to.
func TestTranscriptHome(t *testing.T) {
	t.Parallel()
	const sid = "5d1f6d2e-33a4-4a44-8d3a-6f5b7e3f9c10"
	const file = "session-2026-08-21T10-11-5d1f6d2e.json"
	sum := gemini.New().Folders
	for name, row := range map[string]struct {
		agent  agent.Agent
		stored string
		before func(w *enginetest.World, e *sessionstate.Env)
		want   string // below home; HASH is the folder named by the hash of the top
	}{
		"claude":                 {claude.New(), "", nil, ".claude/projects/DASHED/" + sid + ".jsonl"},
		"claude, another place":  {claude.New(), ".claude/projects/other/" + sid + ".jsonl", nil, ".claude/projects/DASHED/" + sid + ".jsonl"},
		"claude, leading out":    {claude.New(), ".claude/projects/../../.bashrc", nil, ".claude/projects/DASHED/" + sid + ".jsonl"},
		"claude, another's file": {claude.New(), ".claude/projects/x/settings.json", nil, ".claude/projects/DASHED/" + sid + ".jsonl"},
		"claude, test folder":    {claude.New(), "", func(w *enginetest.World, e *sessionstate.Env) { e.TranscriptDirs = testDirs(w) }, "c/" + sid + ".jsonl"},
		"gemini":                 {gemini.New(), "", nil, ".gemini/tmp/HASH/chats/session-2026-08-21T10-11-5d1f6d2e.json"},
		"gemini, elsewhere":      {gemini.New(), ".gemini/tmp/other/chats/" + file, nil, ".gemini/tmp/HASH/chats/" + file},
		"gemini, there":          {gemini.New(), ".gemini/tmp/other/chats/" + file, func(w *enginetest.World, _ *sessionstate.Env) { w.HomeFile(".gemini/tmp/other/chats/" + file) }, ".gemini/tmp/other/chats/" + file},
		"gemini, listed":         {gemini.New(), "", func(w *enginetest.World, _ *sessionstate.Env) { w.ListProject() }, ".gemini/tmp/slug/chats/session-2026-08-21T10-11-5d1f6d2e.json"},
		"gemini, found": {gemini.New(), "", func(w *enginetest.World, _ *sessionstate.Env) {
			w.ListProject()
			w.HomeFile(".gemini/tmp/slug/chats/session-2026-01-01T00-00-5d1f6d2e.jsonl")
		}, ".gemini/tmp/slug/chats/session-2026-01-01T00-00-5d1f6d2e.jsonl"},
		"gemini, leading out":       {gemini.New(), ".gemini/settings.json", nil, ".gemini/tmp/HASH/chats/session-2026-08-21T10-11-5d1f6d2e.json"},
		"gemini, another session's": {gemini.New(), ".gemini/tmp/x/chats/session-2026-01-01T00-00-00000000.json", nil, ".gemini/tmp/HASH/chats/session-2026-08-21T10-11-5d1f6d2e.json"},
		"gemini, test folder":       {gemini.New(), ".gemini/tmp/other/chats/" + file, func(w *enginetest.World, e *sessionstate.Env) { e.TranscriptDirs = testDirs(w) }, "g/session-2026-08-21T10-11-5d1f6d2e.json"},
		"anybody":                   {generic.Adapter{}, ".bashrc", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t)
			e := w.Engine()
			if row.before != nil {
				row.before(w, e)
			}
			got := transcript.Home(w.Ctx, e, row.agent, enginetest.SessionID(t, sid), row.stored, []byte("{\n\"startTime\": \"2026-08-21T10:11:05.000Z\", \"messages\": []\n}"))
			folders := sum(w.Home, e.Repo.Top, transcript.ReadIfExists)
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

func testDirs(w *enginetest.World) map[agent.AgentName]string {
	return map[agent.AgentName]string{
		agent.AgentNameClaudeCode: filepath.Join(w.Home, "c"), agent.AgentNameGemini: filepath.Join(w.Home, "g"),
	}
}

func TestGeminiRewindOfTheBranch(t *testing.T) {
	t.Parallel()
	enginetest.BothShapes(t, func(t *testing.T, c *enginetest.Chat) {
		c.Auto = true
		c.Hooked().Write("own.txt", "x\n")
		c.Git("add", "own.txt")
		c.Git("commit", "-qm", "own")
		c.Git("switch", "-qc", "feature")
		c.Turn("first", func() { c.Write("a.txt", "1\n") })
		first, then := c.Head(), c.ReadTranscript(c.TranscriptPath)
		c.Turn("second", func() { c.Write("a.txt", "2\n") })
		var at step.RewindPoint
		for _, p := range c.Points() {
			if p.ID == first {
				at = p
			}
		}
		_, warnings, err := maintain.RewindBranch(c.Ctx, c.Engine(), at)
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%v, %v", warnings, err)
		}
		if got := c.ReadTranscript(c.TranscriptPath); got != then {
			t.Errorf("the conversation is\n%s\nnot\n%s", got, then)
		}
		c.Messages = c.Messages[:2]
		c.Turn("third", func() { c.Write("a.txt", "3\n") })
		if got := c.Metadata(c.Trailer("HEAD"), "0/prompt.txt"); got != "third" {
			t.Errorf("prompts %q", got)
		}
		if got := c.Stored(c.Trailer("HEAD")).CheckpointTranscriptStart; got != 2 {
			t.Errorf("the third turn begins at %d", got)
		}
	})
}

// A local transcript with the secrets in it is not replaced by itself without them.
func TestRestoredLogsKeepTheAgentsOwn(t *testing.T) {
	t.Parallel()
	enginetest.BothShapes(t, func(t *testing.T, c *enginetest.Chat) {
		c.Turn("use \"ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8\" for it", func() { c.Write("a.txt", "1\n") })
		c.Git("add", "a.txt")
		c.CommitHooked("one")
		own := c.ReadTranscript(c.TranscriptPath)
		out, err := transcript.RestoreLogs(c.Ctx, c.Engine(), c.Points()[0], false)
		if err != nil || len(out.Skipped) > 0 || len(out.Restored) != 1 {
			t.Fatalf("%+v, %v", out, err)
		}
		if got := c.ReadTranscript(c.TranscriptPath); got != own {
			t.Errorf("the transcript is now\n%s", got)
		}
	})
}
