package transcript_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/session"
	"entire/strategy/engine"
	"entire/strategy/internal/enginetest"
	"entire/strategy/resume"
	"entire/strategy/transcript"
)

func TestLinkedCommitHasMessages(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "first", func() { w.Write("a.txt", "1\n") })
	w.Git("add", "-A")
	one := w.CommitHooked("one")
	w.CheckMessages(one, 0, agent.AgentTypeClaudeCode)
	w.Turn("s1", "second", func() { w.Write("a.txt", "2\n") })
	w.Git("add", "-A")
	two := w.CommitHooked("two")
	w.CheckMessages(two, 0, agent.AgentTypeClaudeCode)
	if got := w.StoredConversation("s1"); got != "stored first done second done" {
		t.Errorf("told %q", got)
	}
	all, err := resume.OpenStoredSessions(w.Engine()).All(w.Ctx)
	if err != nil || len(all) != 1 || len(all[0].Checkpoints) != 2 || all[0].Latest.String() != two || all[0].Title != "first" ||
		all[0].TurnCount != 2 || all[0].AgentType != agent.AgentTypeClaudeCode {
		t.Errorf("list %+v, %v", all, err)
	}
}

// TestMessagesHeld: whoever reads many sessions reads all from one state of the branch, and the present one afterwards.
func TestMessagesHeld(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	commit := func(session, file string) {
		w.Turn(session, "write "+file, func() { w.Write(file, "1\n") })
		w.Git("add", "-A")
		w.CommitHooked(file)
	}
	commit("s1", "a.txt")
	stored := resume.OpenStoredSessions(w.Engine())
	if all, err := stored.All(w.Ctx); err != nil || len(all) != 1 {
		t.Fatalf("list %+v, %v", all, err)
	}
	err := stored.Hold(func() error {
		commit("s2", "b.txt")
		if _, err := stored.Get(w.Ctx, "s2"); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("held: s2 is found, error %v", err)
		}
		_, err := stored.Get(w.Ctx, "s1")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stored.Get(w.Ctx, "s2"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestMessagesOfATurnUnderWay: a commit in mid-turn gets the rest at the turn's
// end, and what an amended commit takes up later.
func TestMessagesOfATurnUnderWay(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Prompt("s1", "first")
	w.Say("s1", "assistant", "writing")
	w.Write("a.txt", "1\n")
	w.Git("add", "-A")
	cp := w.CommitHooked("one")
	w.CheckMessages(cp, 0, agent.AgentTypeClaudeCode)
	if got := w.StoredConversation("s1"); got != "stored first writing" {
		t.Errorf("in the turn: %q", got)
	}
	w.Say("s1", "assistant", "more")
	w.Stop("s1")
	w.CheckMessages(cp, 0, agent.AgentTypeClaudeCode)
	if got := w.StoredConversation("s1"); got != "stored first writing more done" {
		t.Errorf("at the end: %q", got)
	}
	w.Turn("s1", "second", func() { w.Write("b.txt", "1\n") })
	w.Git("add", "-A")
	w.Git("commit", "-q", "--amend", "--no-edit")
	if err := engine.PostCommit(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	w.CheckMessages(cp, 0, agent.AgentTypeClaudeCode)
	if got := w.StoredConversation("s1"); got != "stored first writing more done second done" {
		t.Errorf("amended: %q", got)
	}
}

// TestMessagesAfterARewind: the conversation goes on from where it was taken back
// to.
func TestMessagesAfterARewind(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "first", func() { w.Write("a.txt", "1\n") })
	w.Git("add", "-A")
	w.CommitHooked("one")
	w.Turn("s1", "good", func() { w.Write("a.txt", "2\n") })
	w.Turn("s1", "bad", func() { w.Write("a.txt", "3\n") })
	w.Rewind(w.Points()[1].ID)
	w.Turn("s1", "better", func() { w.Write("a.txt", "4\n") })
	w.Git("add", "-A")
	cp := w.CommitHooked("two")
	w.CheckMessages(cp, 0, agent.AgentTypeClaudeCode)
	if got := w.StoredConversation("s1"); got != "stored first done good done better done" {
		t.Errorf("told %q", got)
	}
}

// TestMessagesAreMadeAnew where the agent begins its transcript again, and where
// what we remember of them is lost or nonsense.
func TestMessagesAreMadeAnew(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	n := 0
	turn := func() string {
		n++
		w.Turn("s1", fmt.Sprint("turn-", n), func() { w.Write("a.txt", fmt.Sprintln(n)) })
		w.Git("add", "-A")
		cp := w.CommitHooked(fmt.Sprint("work ", n))
		w.CheckMessages(cp, 0, agent.AgentTypeClaudeCode)
		return cp
	}
	side := w.GitPath("entire/sessions/s1/" + transcript.MessagesName)
	turn()
	for _, damage := range []string{"", "{", `{"version":1}`, `{"version":1,"chunks":5}`, `{"version":99}`, "[]"} {
		if err := os.WriteFile(side, []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		turn()
	}
	if got := w.StoredConversation("s1"); !strings.HasPrefix(got, "stored turn-1 done turn-2") || !strings.HasSuffix(got, "turn-7 done") {
		t.Errorf("told %q", got)
	}
	if err := os.WriteFile(w.Live["s1"], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	turn()
	if got := w.StoredConversation("s1"); got != "stored turn-8 done" {
		t.Errorf("begun again: %q", got)
	}
}

// TestMessagesOfSeveralSessions: each has its own, in one checkpoint.
func TestMessagesOfSeveralSessions(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "one", func() { w.Write("a.txt", "1\n") })
	w.Turn("s2", "two", func() { w.Write("b.txt", "1\n") })
	w.Git("add", "-A")
	cp := w.CommitHooked("both")
	w.CheckMessages(cp, 0, agent.AgentTypeClaudeCode)
	w.CheckMessages(cp, 1, agent.AgentTypeClaudeCode)
	if got := w.StoredConversation("s1") + "|" + w.StoredConversation("s2"); got != "stored one done|stored two done" {
		t.Errorf("told %q", got)
	}
}

func TestMessagesOfGemini(t *testing.T) {
	t.Parallel()
	enginetest.BothShapes(t, func(t *testing.T, c *enginetest.Chat) {
		c.Turn("first", func() { c.Write("a.txt", "1\n") })
		c.Git("add", "-A")
		one := c.CommitHooked("one")
		c.CheckMessages(one, 0, agent.AgentTypeGemini)
		c.Turn("second", func() { c.Write("a.txt", "2\n") })
		c.Git("add", "-A")
		two := c.CommitHooked("two")
		c.CheckMessages(two, 0, agent.AgentTypeGemini)
		if got := c.StoredConversation(c.Sid); got != "stored first Did: first second Did: second" {
			t.Errorf("told %q", got)
		}
	})
}

func TestMessagesOfAutoCommit(t *testing.T) {
	t.Parallel()
	w := enginetest.NewAuto(t, enginetest.SourceFiles())
	w.Turn("s1", "one", func() { w.Write("a.txt", "1\n") })
	w.Turn("s1", "two", func() { w.Write("a.txt", "2\n") })
	cp := w.Git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)")
	w.CheckMessages(cp, 0, agent.AgentTypeClaudeCode)
	if got := w.StoredConversation("s1"); got != "stored one done two done" {
		t.Errorf("told %q", got)
	}
}

// TestFreshCloneHasTheSessions: a clone that never ran them lists, reads, brings,
// forks and resumes them from the metadata branch alone.
func TestFreshCloneHasTheSessions(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for i := range 3 {
		w.Turn("s1", fmt.Sprint("turn-", i), func() { w.Write("a.txt", fmt.Sprintln(i)) })
		w.Git("add", "-A")
		w.CommitHooked(fmt.Sprint("work ", i))
	}
	w.Git("clone", "-q", "--no-local", w.Dir, w.Dir+"-clone")
	w.Git("-C", w.Dir+"-clone", "fetch", "-q", "origin", "+refs/heads/entire/*:refs/remotes/elsewhere/entire/*")
	w.Git("-C", w.Dir+"-clone", "update-ref", "-d", "refs/remotes/origin/entire/checkpoints/v1")
	there := &enginetest.World{Repo: w.In("../" + filepath.Base(w.Dir) + "-clone"), T: t, Now: w.Now, Ctx: w.Ctx, Live: map[string]string{}}
	if got := there.StoredConversation("s1"); got != "stored turn-0 done turn-1 done turn-2 done" {
		t.Fatalf("there: %q", got)
	}
	stored := resume.OpenStoredSessions(there.Engine())
	store := session.OpenStore(t.TempDir(), session.WithSync(false))
	defer store.Close()
	got, err := stored.Bring(w.Ctx, store, "s1", there.Dir)
	if err != nil || got.Added != 6 || got.Present != 0 || got.Metadata.MessageCount != 6 || got.Metadata.CWD != there.Dir || got.Metadata.Title != "turn-0" {
		t.Fatalf("brought %+v, %v", got, err)
	}
	raw := 0
	for line, err := range store.SDKMessages(w.Ctx, "s1") {
		if err != nil || !json.Valid(line) {
			t.Errorf("line %s, %v", line, err)
		}
		raw++
	}
	if raw != 7 { // with the summary that the transcript begins with
		t.Errorf("%d lines of the transcript", raw)
	}
	all, err := store.LoadMessages("s1")
	if err != nil {
		t.Fatal(err)
	}
	if fork, err := store.ForkAt(w.Ctx, "s1", "s2", all[3].UUID); err != nil || len(fork.Messages) != 4 {
		t.Errorf("fork %+v, %v", fork, err)
	}
	if again, err := store.Resume("s1", all[1].UUID); err != nil || len(again.Messages) != 2 {
		t.Errorf("resumed %+v, %v", again, err)
	}

	// Brought again: nothing new; after another turn elsewhere: that.
	if got, err := stored.Bring(w.Ctx, store, "s1", there.Dir); err != nil || got.Added != 0 || got.Present != 6 {
		t.Errorf("again %+v, %v", got, err)
	}
	// A subagent's words, which hooks put among the others, are passed over.
	if err := store.AppendMessage("s1", agent.Message{UUID: "of-agent", Role: agent.RoleAssistant, Sidechain: true, AgentID: "a1"}); err != nil {
		t.Fatal(err)
	}
	w.Turn("s1", "turn-3", func() { w.Write("a.txt", "3\n") })
	w.Git("add", "-A")
	w.CommitHooked("work 3")
	there.Git("fetch", "-q", "origin", "+refs/heads/entire/*:refs/remotes/origin/entire/*")
	if got, err := stored.Bring(w.Ctx, store, "s1", there.Dir); err != nil || got.Added != 2 || got.Present != 7 || got.Metadata.MessageCount != 9 {
		t.Errorf("later %+v, %v", got, err)
	}
	if err := store.AppendMessage("s2", agent.Message{UUID: "x", Role: agent.RoleUser, Content: "other"}); err != nil {
		t.Fatal(err)
	}
	if err := store.AppendMessage("s1", agent.Message{UUID: "x", Role: agent.RoleUser, Content: "here alone"}); err != nil {
		t.Fatal(err)
	}
	if got, err := stored.Bring(w.Ctx, store, "s1", there.Dir); err != nil || got.Added != 0 || got.Present != 10 {
		t.Errorf("longer here: %+v, %v", got, err)
	}
	w.Turn("s1", "turn-4", func() { w.Write("a.txt", "4\n") })
	w.Git("add", "-A")
	w.CommitHooked("work 4")
	there.Git("fetch", "-q", "origin", "+refs/heads/entire/*:refs/remotes/origin/entire/*")
	if _, err := stored.Bring(w.Ctx, store, "s1", there.Dir); !errors.Is(err, resume.ErrDiverged) {
		t.Errorf("different here: %v", err)
	}
	if _, err := stored.Bring(w.Ctx, store, "s3", there.Dir); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
}

// TestCheckpointsWithoutMessages, of other tools and earlier versions, are read
// from their transcripts.
func TestCheckpointsWithoutMessages(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "first", func() { w.Write("a.txt", "1\n") })
	w.Git("add", "-A")
	cp := w.CommitHooked("one")
	w.Git("worktree", "add", "-q", "--detach", w.Dir+"-meta", "entire/checkpoints/v1")
	meta := w.In("../" + filepath.Base(w.Dir) + "-meta")
	meta.Git("rm", "-q", cp[:2]+"/"+cp[2:]+"/messages-0.json", cp[:2]+"/"+cp[2:]+"/messages-0.jsonl")
	meta.Git("commit", "-q", "-m", "by another tool")
	w.Git("update-ref", "refs/heads/entire/checkpoints/v1", meta.Head())
	if got := w.StoredConversation("s1"); got != "made first done" {
		t.Errorf("told %q", got)
	}
	got, err := resume.OpenStoredSessions(w.Engine()).Get(w.Ctx, "s1")
	if err != nil || got.Title != "first" || got.UpdatedAt.IsZero() {
		t.Errorf("metadata %+v, %v", got, err)
	}
}
