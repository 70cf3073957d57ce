package restore_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/agent"
	"entire/strategy/internal/enginetest"
)

// TestWhatWeWriteIsReadable: a day with all that can happen to a session, looked
// at by the other tool after every event.
func TestWhatWeWriteIsReadable(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	must := func(when string, do func()) {
		t.Helper()
		do()
		w.OtherReads(when)
	}
	must("prompt", func() { w.Prompt("s1", "Please write it") })
	must("stop", func() { w.Write("a.txt", "by the agent\n"); w.Write("new.txt", "n\n"); w.Stop("s1") })
	must("a person", func() { w.Write("b.txt", "by a person\n"); w.Prompt("s1", "go on") })
	must("second stop", func() {
		w.Write("new.txt", "n2\n")
		w.Say("s1", "assistant", strings.Repeat("long ", 60_000))
		w.Stop("s1")
	})
	must("second session", func() { w.Turn("s2", "other", func() { w.Write("c.txt", "c\n") }) })
	must("part of a commit", func() { w.Git("add", "a.txt"); w.CommitHooked("part") })
	must("stop after a part", func() { w.Turn("s1", "more", func() { w.Write("new.txt", "n3\n") }) })
	must("the rest", func() { w.Git("add", "-A"); w.CommitHooked("rest") })
	must("a turn without changes", func() { w.Turn("s1", "explain", func() {}) })
	must("mid-turn commit", func() {
		w.Prompt("s1", "commit it")
		w.Write("a.txt", "mid\n")
		w.Git("add", "-A")
		w.CommitHooked("mid")
	})
	must("the end of that turn", func() { w.Stop("s1") })
	must("an unrelated commit", func() {
		w.Turn("s2", "again", func() { w.Write("c.txt", "c2\n") })
		w.Write("b.txt", "unrelated\n")
		w.Git("add", "b.txt")
		w.CommitHooked("unrelated")
	})
	must("a task", func() {
		w.Prompt("s2", "delegate")
		w.Event(agent.TaskStart, "s2", func(ev *agent.Event) { ev.ToolUseID = "toolu_1" })
		w.Write("task.txt", "t\n")
		w.Event(agent.TaskEnd, "s2", func(ev *agent.Event) {
			ev.ToolUseID, ev.AgentID, ev.SubagentType, ev.Description = "toolu_1", "ab12", "general", "do"
		})
		w.Stop("s2")
	})
	must("HEAD moves", func() {
		w.Git("stash", "-q", "-u")
		w.Git("reset", "-q", "--hard", "HEAD~1")
		w.Git("stash", "pop", "-q")
		w.Turn("s2", "on another base", func() { w.Write("c.txt", "c3\n") })
	})
	must("rewind", func() { w.Rewind(w.Points()[1].ID) })
	must("after the rewind", func() { w.Turn("s2", "once more", func() { w.Write("c.txt", "c4\n") }) })
	must("ended", func() { w.Event(agent.SessionEnd, "s2", nil) })
	must("a commit of an ended session's work", func() { w.Git("add", "-A"); w.CommitHooked("ended") })
	stored := w.Git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1")
	for _, part := range []string{"tasks/toolu_1", "/full.jsonl.001", "/content_hash.txt"} {
		if !strings.Contains(stored, part) {
			t.Errorf("the day had no %s", part)
		}
	}
	w.Fsck()
}

// TestStateDeletedByTheOtherTool: it throws away the states of sessions that wait
// for nothing. Such a session goes on as if it was new, and nothing it does then is
// lost.
func TestStateDeletedByTheOtherTool(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "first", func() { w.Write("a.txt", "1\n") })
	w.Git("add", "-A")
	w.CommitHooked("first")
	w.Turn("s1", "talk", func() {})
	if err := os.Remove(filepath.Join(w.GitPath("entire-sessions"), "s1.json")); err != nil {
		t.Fatal(err)
	}
	w.Turn("s1", "second", func() { w.Write("a.txt", "2\n") })
	w.OtherReads("after the state was deleted")
	w.Git("add", "-A")
	cp := w.CommitHooked("second")
	if files := w.Slots(cp)["s1"]; !slices.Equal(files, []string{"a.txt"}) {
		t.Errorf("the checkpoint has files %q", files)
	}
	w.OtherReads("after the commit")
}

// TestRewindToTheirStep: files and conversation go back to what another tool saved,
// and the secrets it saved with it stay out of what is shared.
func TestRewindToTheirStep(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	secret := "AKIA" + "QYLPMN5HHHFPZAM2"
	w.Turn("s1", "ours", func() { w.Write("a.txt", "ours\n") })
	w.Write("a.txt", "theirs\n")
	w.Say("s1", "user", "theirs "+secret)
	point := w.OtherStep("s1", "Theirs")
	live, err := os.ReadFile(w.Transcript("s1"))
	if err != nil {
		t.Fatal(err)
	}
	w.Turn("s1", "wrong", func() { w.Write("a.txt", "wrong\n") })
	out := w.Rewind(point)
	if got := w.Read("a.txt"); got != "theirs\n" || len(out.Warnings) > 0 {
		t.Errorf("a.txt is %q, warnings %q", got, out.Warnings)
	}
	if now, _ := os.ReadFile(w.Transcript("s1")); string(now) != string(live) {
		t.Errorf("the conversation is %q, want %q", now, live)
	}
	w.Turn("s1", "right", func() { w.Write("a.txt", "right\n") })
	w.Git("add", "-A")
	cp := w.CommitHooked("right")
	talk := w.Blob(cp[:2] + "/" + cp[2:] + "/0/full.jsonl")
	if strings.Contains(talk, secret) || strings.Contains(talk, "wrong") || !strings.Contains(talk, "right") || !strings.Contains(talk, "theirs REDACTED") {
		t.Errorf("stored conversation:\n%s", talk)
	}
	w.OtherReads("after the commit")
	w.Fsck()
}
