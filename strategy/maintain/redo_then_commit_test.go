package maintain_test

import (
	"strings"
	"testing"

	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
)

func TestWorkOnWhatWasRedoneHasItsOwnCheckpoint(t *testing.T) {
	t.Parallel()
	w, cp := enginetest.Linked(t)
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.GitCommit("-m", "redone")
	w.Wants(cp)
	w.Turn("s1", "more", func() { w.Write("new.txt", "agent one\nagent two\nagent three\n") })
	next := w.GitCommit("-a", "-m", "more")
	if next == cp {
		t.Error("the checkpoint of before")
	}
	w.Wants(next)
}

// A checkpoint made in mid-turn lists its files still when it is amended.
func TestAmendOfAMidTurnCommitKeepsItsFiles(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Prompt("s1", "write")
	w.Write("one.txt", "agent one\n")
	w.Edits("s1", "one.txt")
	w.Write("two.txt", "agent two\n")
	w.Edits("s1", "two.txt")
	w.Git("add", "one.txt")
	w.GitCommit("-m", "first")
	w.Git("add", "two.txt")
	cp := w.GitCommit("-m", "second")
	w.Turn("s1", "more", func() { w.Write("three.txt", "agent three\n") })
	w.Git("add", "-A")
	w.GitCommit("--amend", "-m", "second and third")
	w.Wants(cp)
	if files := w.Metadata(cp, "0/metadata.json"); !strings.Contains(files, "two.txt") || !strings.Contains(files, "three.txt") {
		t.Errorf("the slot says %s", files)
	}
}

// A person's change of mode to what was redone is nobody's work.
func TestModeOfWhatWasRedoneIsNotLinked(t *testing.T) {
	t.Parallel()
	w, cp := enginetest.Linked(t)
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.GitCommit("-m", "redone")
	w.Wants(cp)
	w.Chmod("new.txt", 0o755)
	w.GitCommit("-a", "-m", "by hand")
	w.Wants()
}

// What a reset has thrown away, work on the same file does not bring back, though
// the session had changed it before the reset as well.
func TestWorkAfterAHardResetIsNotWhatWasUndone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() { w.Write("a.txt", w.Read("a.txt")+"agent one\n") })
	cp := w.GitCommit("-a", "-m", "first")
	w.Turn("s1", "more", func() { w.Write("a.txt", w.Read("a.txt")+"agent two\n"); w.Write("left.txt", "agent\n") })
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Turn("s1", "again", func() { w.Write("a.txt", w.Read("a.txt")+"agent three\n") })
	next := w.GitCommit("-a", "-m", "again")
	if next == "" || strings.Contains(next, cp) {
		t.Errorf("the trailers are %q, that of the undone commit %q", next, cp)
	}
	w.Wants(next)
}

// Going back to a commit is no commit that took work without a link.
func TestGoingBackIsNotCalledAnUnlinkedCommit(t *testing.T) {
	t.Parallel()
	w, _ := enginetest.Linked(t)
	w.Turn("s1", "take it out", func() { w.Remove("new.txt"); w.Write("more.txt", "agent\n") })
	w.Git("reset", "-q", "--hard", "HEAD~1")
	quiet := func(when string) {
		t.Helper()
		r, err := maintain.Status(w.Ctx, w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Problems) > 0 {
			t.Errorf("%s, status tells of %+v", when, r.Problems)
		}
	}
	quiet("after the reset")
	w.Turn("s1", "again", func() { w.Write("again.txt", "agent\n") })
	quiet("after a turn")
}

// What a session did and a hard reset threw away is not in another session's work
// on the same file.
func TestThrownAwayWorkIsNotInAnothersOnTheSameFile(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Git("commit", "-q", "--allow-empty", "-m", "more")
	w.Turn("s1", "write", func() { w.Write("a.txt", w.Read("a.txt")+"of one\n") })
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.Turn("s2", "write", func() { w.Write("a.txt", w.Read("a.txt")+"of two\n") })
	cp := w.GitCommit("-a", "-m", "two")
	if slots := w.Slots(cp); len(slots) != 1 || len(slots["s2"]) != 1 {
		t.Errorf("stored: %v", slots)
	}
}

// New work in an amended commit does not go into the checkpoint of what was undone
// and is in it again.
func TestAmendWithUndoneAndNewWork(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Git("commit", "-q", "--allow-empty", "-m", "a person's")
	w.Turn("s1", "write", func() { w.Write("one.txt", "of one\nand one\n") })
	w.Git("add", "-A")
	cp := w.GitCommit("-m", "one")
	w.Git("reset", "-q", "--mixed", "HEAD~1")
	w.Turn("s2", "write", func() { w.Write("two.txt", "of two\n") })
	w.Git("add", "-A")
	w.GitCommit("--amend", "-m", "both")
	ids := strings.Fields(w.Trailer("HEAD"))
	if len(ids) != 2 || ids[1] != cp {
		t.Fatalf("the trailers are %q, that of the undone commit %q", ids, cp)
	}
	if fresh, old := w.Slots(ids[0]), w.Slots(cp); len(fresh) != 1 || fresh["s2"] == nil || len(old) != 1 || old["s1"] == nil {
		t.Errorf("stored: %v and %v", fresh, old)
	}
}

// A file that a reset in the middle of another session's turn left standing, and that
// changed in that turn, holds the undone commit's work still.
func TestUndoneInMidTurnAndEditedIsRedone(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, before string }{{"new.txt", ""}, {"a.txt", "one\n"}} {
		w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
		w.Write("a.txt", "one\n")
		w.Git("commit", "-q", "--no-verify", "-a", "-m", "a person's")
		w.Turn("s2", "write", func() { w.Write(tc.path, tc.before+"of two, first\nof two, second\nof two, third\n") })
		w.Git("add", "-A")
		undone := w.GitCommit("-m", "two's")
		w.Prompt("s1", "look")
		w.Git("reset", "-q", "--mixed", "HEAD~1")
		w.Write(tc.path, tc.before+"of two, first\na person's\nof two, third\n")
		w.Turn("s1", "go on", func() { w.Write("b.txt", "of one\n") })
		w.Git("add", tc.path)
		w.GitCommit("-m", "again")
		if got := w.Trailer("HEAD"); !strings.Contains(got, undone) {
			t.Errorf("%s: the trailers are %q, that of the undone commit %q", tc.path, got, undone)
		}
	}
}

// What a session left is its work after a reset, too, though its last write is in a
// step of another's.
func TestWorkAfterAResetThatAnothersStepHas(t *testing.T) {
	t.Parallel()
	w, _ := enginetest.Linked(t)
	w.Git("reset", "-q", "--mixed", "HEAD~1")
	w.Prompt("s2", "write")
	w.Write("n.txt", "of two, first\nand more\n")
	w.Edits("s2", "n.txt")
	w.Prompt("s3", "look")
	w.Write("n.txt", "something else\naltogether\nby two\n")
	w.Edits("s2", "n.txt")
	w.Write("c.txt", "of three\n")
	w.Edits("s3", "c.txt")
	w.Stop("s3")
	w.Stop("s2")
	w.Git("add", "n.txt")
	cp := w.GitCommit("-m", "two's")
	if got := w.Slots(cp); len(got) != 1 || got["s2"] == nil {
		t.Errorf("stored: %v", got)
	}
}

// A file that a hard reset brought back to what the session found is not in the list of
// what an amended commit has of it.
func TestThrownAwayIsNotListedInAnAmendedCommit(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Write("a.txt", "a person's\n")
	w.Git("commit", "-q", "--no-verify", "-a", "-m", "a person's")
	w.Turn("s1", "write", func() {
		w.Write("a.txt", w.Read("a.txt")+"of one\n")
		w.Write("new.txt", "of one\n")
	})
	w.Git("reset", "-q", "--hard", "HEAD")
	w.Git("add", "-A")
	w.WantsOf("s1", w.GitCommit("--amend", "-m", "both"), "new.txt")
}
