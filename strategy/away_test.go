package strategy

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// What a session's own tools wrote in a turn is in the step that the beginning of
// another's turn made: it is its own all the same.
func TestWorkThatAnothersTurnHadFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s2", "wait", func() { w.Write("wait.txt", "of two\n") })
	w.turn("s1", "write", func() { w.Write("a.txt", strings.Replace(w.Read("a.txt"), "four", "of one", 1)) })
	w.gitCommit("-m", "a", "a.txt")
	w.prompt("s1", "more")
	w.Write("a.txt", w.Read("a.txt")+"more of one\n")
	w.edits("s1", "a.txt")
	w.turn("s2", "more", func() { w.Write("a.txt", "more of two\n"+w.Read("a.txt")); w.edits("s2", "a.txt") })
	w.stop("s1")
	if slots := w.slots(w.gitCommit("-a", "-m", "both")); len(slots["s1"]) != 1 || len(slots["s2"]) != 1 {
		t.Errorf("linked to %v", slots)
	}
}

// What lies in a stash is carried forward, and no turn has taken it out of the
// worktree, or put it back.
func TestStashedFilesAreNobodysChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Write("a.txt", w.Read("a.txt")+"by hand\n")
	w.turn("s1", "write", func() { w.Write("b.txt", "of one\n") })
	w.prompt("s1", "more")
	w.Git("stash", "push", "-q")
	w.Write("new.txt", "of one\n")
	w.Git("add", "new.txt")
	w.gitCommit("-m", "new")
	w.stop("s1")
	w.Git("stash", "pop", "-q")
	if slots := w.slots(w.gitCommit("-a", "-m", "from the stash")); !slices.Equal(slots["s1"], []string{"b.txt"}) {
		t.Errorf("linked to %v", slots)
	}
	w.nothingLeft()
}

// A reset in the middle of a turn leaves standing what it undoes: the turn has not
// done that.
func TestResetInTheMiddleOfATurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s2", "write", func() { w.Write("a.txt", strings.Replace(w.Read("a.txt"), "four", "of two", 1)) })
	cp := w.gitCommit("-a", "-m", "of two")
	w.prompt("s1", "write")
	w.Write("new.txt", "of one\n")
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.turn("s1", "more", func() { w.Write("a.txt", w.Read("a.txt")+"of one\n") })
	w.gitCommit("-m", "again")
	if slots := w.slots(cp); len(slots) != 1 || slots["s2"] == nil {
		t.Errorf("linked to %v", slots)
	}
	w.wants(cp)
}

// Work that another session's turn had found on HEAD, because a reset had moved it
// from under this one's, is pending still after a rewind.
func TestRewindKeepsWhatWasBroughtAlong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.prompt("s2", "write")
	w.Write("new.txt", "of two\n")
	w.Git("add", "-A")
	w.gitCommit("-m", "new")
	w.Write("a.txt", "of two\n")
	w.Git("reset", "-q", "HEAD~1")
	w.turn("s1", "write", func() { w.Write("b.txt", "of one\n") })
	w.turn("s2", "more", func() { w.Write("more.txt", "of two\n") })
	if got := w.touched("s2"); !strings.Contains(got, "a.txt") {
		t.Fatalf("pending: %s", got)
	}
	w.rewind(w.points()[0].ID)
	w.Git("add", "-A")
	if slots := w.slots(w.gitCommit("-m", "all")[:12]); !slices.Contains(slots["s2"], "a.txt") {
		t.Errorf("linked to %v", slots)
	}
}

// Where a session's work lies in a stash, a file that somebody else puts in its
// place is not listed for it.
func TestFileInThePlaceOfAStashedOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "write", func() {
		w.Write("b.txt", "line one, of one\nline two, of one\n")
		w.Write("new.txt", "of one\n")
	})
	w.Git("stash", "push", "-q")
	w.prompt("s2", "remove")
	w.Remove("b.txt")
	w.gitCommit("-a", "-m", "remove")
	w.Write("b.txt", "altogether different\nby hand\n")
	w.Git("add", "-A")
	if slots := w.slots(w.gitCommit("-m", "by hand")); !slices.Equal(slots["s1"], []string{"new.txt"}) {
		t.Errorf("linked to %v", slots)
	}
}

// A stash holds what it changed, and not every file as it was in HEAD then.
func TestStashOfAnotherFileHoldsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Write("b.txt", "a person's\n")
	w.Git("stash", "push", "-q")
	w.turn("s1", "write", func() { w.Write("a.txt", w.Read("a.txt")+"of one\n") })
	_, rest, _ := strings.Cut(w.Read("a.txt"), "\n")
	w.Write("a.txt", rest) // a person takes the first line out
	if cp := w.gitCommit("-a", "-m", "both"); cp == "" {
		t.Error("not linked")
	}
	w.nothingLeft()
	if files := w.state("s1").FilesTouched; len(files) > 0 {
		t.Errorf("still pending: %v", files)
	}
}

// What is carried forward for several sessions is not what each of them did.
func TestCarriedWorkIsWhoseItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s2", "write", func() { w.Write("wait.txt", "of two\n") })
	w.turn("s1", "write", func() { w.Write("a.txt", strings.Replace(w.Read("a.txt"), "four\n", "", 1)) })
	w.Git("stash", "push", "-q")
	w.prompt("s2", "more")
	w.Write("new.txt", "of two\n")
	w.edits("s2", "new.txt")
	w.Git("add", "new.txt")
	w.gitCommit("-m", "new")
	w.stop("s2")
	w.turn("s1", "again", func() { w.Write("a.txt", strings.Replace(w.Read("a.txt"), "four", "of one", 1)) })
	w.Git("add", "a.txt")
	w.turn("s2", "on top", func() { w.Write("a.txt", w.Read("a.txt")+"of two\n") })
	if slots := w.slots(w.gitCommit("-m", "of one")); len(slots) != 1 || slots["s1"] == nil {
		t.Errorf("linked to %v", slots)
	}
}

// Steps of which nothing is pending go with the next commit, also where HEAD was
// rewritten meanwhile.
func TestStepsThatCameToNothingGoWithTheNextCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Write("theirs.txt", "a person's\n")
	w.Write("mine.txt", "a person's\n")
	w.turn("s1", "tidy up", func() { w.Remove("theirs.txt") })
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--amend", "-m", "in other words")
	w.Git("add", "-A")
	if cp := w.gitCommit("-m", "mine"); cp != "" {
		t.Errorf("linked to %s", cp)
	}
	w.nothingLeft()
}

// A stash that has only another mode of a file holds nothing of what was written there
// later, though it has lines that a person then took out.
func TestStashOfAModeHoldsNoLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	if err := os.Chmod(w.Path("a.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.Git("stash", "push", "-q")
	w.turn("s1", "write", func() { w.Write("a.txt", "of one\n"+w.Read("a.txt")) })
	w.Write("a.txt", "of one\na person's\n")
	w.wantsOf("s1", w.gitCommit("-a", "-m", "both"), "a.txt")
	w.nothingLeft()
}
