package strategy

import (
	"strings"
	"testing"
)

func TestWorkOnWhatWasRedoneHasItsOwnCheckpoint(t *testing.T) {
	t.Parallel()
	w, cp := linked(t)
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.gitCommit("-m", "redone")
	w.wants(cp)
	w.turn("s1", "more", func() { w.Write("new.txt", "agent one\nagent two\nagent three\n") })
	next := w.gitCommit("-a", "-m", "more")
	if next == cp {
		t.Error("the checkpoint of before")
	}
	w.wants(next)
}

// A checkpoint made in mid-turn lists its files still when it is amended.
func TestAmendOfAMidTurnCommitKeepsItsFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.prompt("s1", "write")
	w.Write("one.txt", "agent one\n")
	w.edits("s1", "one.txt")
	w.Write("two.txt", "agent two\n")
	w.edits("s1", "two.txt")
	w.Git("add", "one.txt")
	w.gitCommit("-m", "first")
	w.Git("add", "two.txt")
	cp := w.gitCommit("-m", "second")
	w.turn("s1", "more", func() { w.Write("three.txt", "agent three\n") })
	w.Git("add", "-A")
	w.gitCommit("--amend", "-m", "second and third")
	w.wants(cp)
	if files := w.metadata(cp, "0/metadata.json"); !strings.Contains(files, "two.txt") || !strings.Contains(files, "three.txt") {
		t.Errorf("the slot says %s", files)
	}
}

// A person's change of mode to what was redone is nobody's work.
func TestModeOfWhatWasRedoneIsNotLinked(t *testing.T) {
	t.Parallel()
	w, cp := linked(t)
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.gitCommit("-m", "redone")
	w.wants(cp)
	w.Chmod("new.txt", 0o755)
	w.gitCommit("-a", "-m", "by hand")
	w.wants()
}

// What a reset has thrown away, work on the same file does not bring back, though
// the session had changed it before the reset as well.
func TestWorkAfterAHardResetIsNotWhatWasUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "write", func() { w.Write("a.txt", w.Read("a.txt")+"agent one\n") })
	cp := w.gitCommit("-a", "-m", "first")
	w.turn("s1", "more", func() { w.Write("a.txt", w.Read("a.txt")+"agent two\n"); w.Write("left.txt", "agent\n") })
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.turn("s1", "again", func() { w.Write("a.txt", w.Read("a.txt")+"agent three\n") })
	next := w.gitCommit("-a", "-m", "again")
	if next == "" || strings.Contains(next, cp) {
		t.Errorf("the trailers are %q, that of the undone commit %q", next, cp)
	}
	w.wants(next)
}

// Going back to a commit is no commit that took work without a link.
func TestGoingBackIsNotCalledAnUnlinkedCommit(t *testing.T) {
	t.Parallel()
	w, _ := linked(t)
	w.turn("s1", "take it out", func() { w.Remove("new.txt"); w.Write("more.txt", "agent\n") })
	w.Git("reset", "-q", "--hard", "HEAD~1")
	quiet := func(when string) {
		t.Helper()
		r, err := w.engine().Status(w.ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Problems) > 0 {
			t.Errorf("%s, status tells of %+v", when, r.Problems)
		}
	}
	quiet("after the reset")
	w.turn("s1", "again", func() { w.Write("again.txt", "agent\n") })
	quiet("after a turn")
}

// What a session did and a hard reset threw away is not in another session's work
// on the same file.
func TestThrownAwayWorkIsNotInAnothersOnTheSameFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Git("commit", "-q", "--allow-empty", "-m", "more")
	w.turn("s1", "write", func() { w.Write("a.txt", w.Read("a.txt")+"of one\n") })
	w.Git("reset", "-q", "--hard", "HEAD~1")
	w.turn("s2", "write", func() { w.Write("a.txt", w.Read("a.txt")+"of two\n") })
	cp := w.gitCommit("-a", "-m", "two")
	if slots := w.slots(cp); len(slots) != 1 || len(slots["s2"]) != 1 {
		t.Errorf("stored: %v", slots)
	}
}

// New work in an amended commit does not go into the checkpoint of what was undone
// and is in it again.
func TestAmendWithUndoneAndNewWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Git("commit", "-q", "--allow-empty", "-m", "a person's")
	w.turn("s1", "write", func() { w.Write("one.txt", "of one\nand one\n") })
	w.Git("add", "-A")
	cp := w.gitCommit("-m", "one")
	w.Git("reset", "-q", "--mixed", "HEAD~1")
	w.turn("s2", "write", func() { w.Write("two.txt", "of two\n") })
	w.Git("add", "-A")
	w.gitCommit("--amend", "-m", "both")
	ids := strings.Fields(w.trailer("HEAD"))
	if len(ids) != 2 || ids[1] != cp {
		t.Fatalf("the trailers are %q, that of the undone commit %q", ids, cp)
	}
	if fresh, old := w.slots(ids[0]), w.slots(cp); len(fresh) != 1 || fresh["s2"] == nil || len(old) != 1 || old["s1"] == nil {
		t.Errorf("stored: %v and %v", fresh, old)
	}
}

// A file that a reset in the middle of another session's turn left standing, and that
// changed in that turn, holds the undone commit's work still.
func TestUndoneInMidTurnAndEditedIsRedone(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, before string }{{"new.txt", ""}, {"a.txt", "one\n"}} {
		w := newWorld(t, sourceFiles()).hooked()
		w.Write("a.txt", "one\n")
		w.Git("commit", "-q", "--no-verify", "-a", "-m", "a person's")
		w.turn("s2", "write", func() { w.Write(tc.path, tc.before+"of two, first\nof two, second\nof two, third\n") })
		w.Git("add", "-A")
		undone := w.gitCommit("-m", "two's")
		w.prompt("s1", "look")
		w.Git("reset", "-q", "--mixed", "HEAD~1")
		w.Write(tc.path, tc.before+"of two, first\na person's\nof two, third\n")
		w.turn("s1", "go on", func() { w.Write("b.txt", "of one\n") })
		w.Git("add", tc.path)
		w.gitCommit("-m", "again")
		if got := w.trailer("HEAD"); !strings.Contains(got, undone) {
			t.Errorf("%s: the trailers are %q, that of the undone commit %q", tc.path, got, undone)
		}
	}
}

// What a session left is its work after a reset, too, though its last write is in a
// step of another's.
func TestWorkAfterAResetThatAnothersStepHas(t *testing.T) {
	t.Parallel()
	w, _ := linked(t)
	w.Git("reset", "-q", "--mixed", "HEAD~1")
	w.prompt("s2", "write")
	w.Write("n.txt", "of two, first\nand more\n")
	w.edits("s2", "n.txt")
	w.prompt("s3", "look")
	w.Write("n.txt", "something else\naltogether\nby two\n")
	w.edits("s2", "n.txt")
	w.Write("c.txt", "of three\n")
	w.edits("s3", "c.txt")
	w.stop("s3")
	w.stop("s2")
	w.Git("add", "n.txt")
	cp := w.gitCommit("-m", "two's")
	if got := w.slots(cp); len(got) != 1 || got["s2"] == nil {
		t.Errorf("stored: %v", got)
	}
}

// A file that a hard reset brought back to what the session found is not in the list of
// what an amended commit has of it.
func TestThrownAwayIsNotListedInAnAmendedCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Write("a.txt", "a person's\n")
	w.Git("commit", "-q", "--no-verify", "-a", "-m", "a person's")
	w.turn("s1", "write", func() {
		w.Write("a.txt", w.Read("a.txt")+"of one\n")
		w.Write("new.txt", "of one\n")
	})
	w.Git("reset", "-q", "--hard", "HEAD")
	w.Git("add", "-A")
	w.wantsOf("s1", w.gitCommit("--amend", "-m", "both"), "new.txt")
}
