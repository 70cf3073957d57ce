package condense_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"entire/strategy/internal/enginetest"
)

// What a session's own tools wrote in a turn is in the step that the beginning of
// another's turn made: it is its own all the same.
func TestWorkThatAnothersTurnHadFound(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s2", "wait", func() { w.Write("wait.txt", "of two\n") })
	w.Turn("s1", "write", func() { w.Write("a.txt", strings.Replace(w.Read("a.txt"), "four", "of one", 1)) })
	w.GitCommit("-m", "a", "a.txt")
	w.Prompt("s1", "more")
	w.Write("a.txt", w.Read("a.txt")+"more of one\n")
	w.Edits("s1", "a.txt")
	w.Turn("s2", "more", func() { w.Write("a.txt", "more of two\n"+w.Read("a.txt")); w.Edits("s2", "a.txt") })
	w.Stop("s1")
	if slots := w.Slots(w.GitCommit("-a", "-m", "both")); len(slots["s1"]) != 1 || len(slots["s2"]) != 1 {
		t.Errorf("linked to %v", slots)
	}
}

// What lies in a stash is carried forward, and no turn has taken it out of the
// worktree, or put it back.
func TestStashedFilesAreNobodysChange(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Write("a.txt", w.Read("a.txt")+"by hand\n")
	w.Turn("s1", "write", func() { w.Write("b.txt", "of one\n") })
	w.Prompt("s1", "more")
	w.Git("stash", "push", "-q")
	w.Write("new.txt", "of one\n")
	w.Git("add", "new.txt")
	w.GitCommit("-m", "new")
	w.Stop("s1")
	w.Git("stash", "pop", "-q")
	if slots := w.Slots(w.GitCommit("-a", "-m", "from the stash")); !slices.Equal(slots["s1"], []string{"b.txt"}) {
		t.Errorf("linked to %v", slots)
	}
	w.NothingLeft()
}

// A reset in the middle of a turn leaves standing what it undoes: the turn has not
// done that.
func TestResetInTheMiddleOfATurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s2", "write", func() { w.Write("a.txt", strings.Replace(w.Read("a.txt"), "four", "of two", 1)) })
	cp := w.GitCommit("-a", "-m", "of two")
	w.Prompt("s1", "write")
	w.Write("new.txt", "of one\n")
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.Turn("s1", "more", func() { w.Write("a.txt", w.Read("a.txt")+"of one\n") })
	w.GitCommit("-m", "again")
	if slots := w.Slots(cp); len(slots) != 1 || slots["s2"] == nil {
		t.Errorf("linked to %v", slots)
	}
	w.Wants(cp)
}

// Work that another session's turn had found on HEAD, because a reset had moved it
// from under this one's, is pending still after a rewind.
func TestRewindKeepsWhatWasBroughtAlong(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Prompt("s2", "write")
	w.Write("new.txt", "of two\n")
	w.Git("add", "-A")
	w.GitCommit("-m", "new")
	w.Write("a.txt", "of two\n")
	w.Git("reset", "-q", "HEAD~1")
	w.Turn("s1", "write", func() { w.Write("b.txt", "of one\n") })
	w.Turn("s2", "more", func() { w.Write("more.txt", "of two\n") })
	if got := w.Touched("s2"); !strings.Contains(got, "a.txt") {
		t.Fatalf("pending: %s", got)
	}
	w.Rewind(w.Points()[0].ID)
	w.Git("add", "-A")
	if slots := w.Slots(w.GitCommit("-m", "all")[:12]); !slices.Contains(slots["s2"], "a.txt") {
		t.Errorf("linked to %v", slots)
	}
}

// Where a session's work lies in a stash, a file that somebody else puts in its
// place is not listed for it.
func TestFileInThePlaceOfAStashedOne(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() {
		w.Write("b.txt", "line one, of one\nline two, of one\n")
		w.Write("new.txt", "of one\n")
	})
	w.Git("stash", "push", "-q")
	w.Prompt("s2", "remove")
	w.Remove("b.txt")
	w.GitCommit("-a", "-m", "remove")
	w.Write("b.txt", "altogether different\nby hand\n")
	w.Git("add", "-A")
	if slots := w.Slots(w.GitCommit("-m", "by hand")); !slices.Equal(slots["s1"], []string{"new.txt"}) {
		t.Errorf("linked to %v", slots)
	}
}

// A stash holds what it changed, and not every file as it was in HEAD then.
func TestStashOfAnotherFileHoldsNothing(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Write("b.txt", "a person's\n")
	w.Git("stash", "push", "-q")
	w.Turn("s1", "write", func() { w.Write("a.txt", w.Read("a.txt")+"of one\n") })
	_, rest, _ := strings.Cut(w.Read("a.txt"), "\n")
	w.Write("a.txt", rest) // a person takes the first line out
	if cp := w.GitCommit("-a", "-m", "both"); cp == "" {
		t.Error("not linked")
	}
	w.NothingLeft()
	if files := w.State("s1").FilesTouched; len(files) > 0 {
		t.Errorf("still pending: %v", files)
	}
}

// What is carried forward for several sessions is not what each of them did.
func TestCarriedWorkIsWhoseItWas(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s2", "write", func() { w.Write("wait.txt", "of two\n") })
	w.Turn("s1", "write", func() { w.Write("a.txt", strings.Replace(w.Read("a.txt"), "four\n", "", 1)) })
	w.Git("stash", "push", "-q")
	w.Prompt("s2", "more")
	w.Write("new.txt", "of two\n")
	w.Edits("s2", "new.txt")
	w.Git("add", "new.txt")
	w.GitCommit("-m", "new")
	w.Stop("s2")
	w.Turn("s1", "again", func() { w.Write("a.txt", strings.Replace(w.Read("a.txt"), "four", "of one", 1)) })
	w.Git("add", "a.txt")
	w.Turn("s2", "on top", func() { w.Write("a.txt", w.Read("a.txt")+"of two\n") })
	if slots := w.Slots(w.GitCommit("-m", "of one")); len(slots) != 1 || slots["s1"] == nil {
		t.Errorf("linked to %v", slots)
	}
}

// Steps of which nothing is pending go with the next commit, also where HEAD was
// rewritten meanwhile.
func TestStepsThatCameToNothingGoWithTheNextCommit(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Write("theirs.txt", "a person's\n")
	w.Write("mine.txt", "a person's\n")
	w.Turn("s1", "tidy up", func() { w.Remove("theirs.txt") })
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--amend", "-m", "in other words")
	w.Git("add", "-A")
	if cp := w.GitCommit("-m", "mine"); cp != "" {
		t.Errorf("linked to %s", cp)
	}
	w.NothingLeft()
}

// A stash that has only another mode of a file holds nothing of what was written there
// later, though it has lines that a person then took out.
func TestStashOfAModeHoldsNoLines(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	if err := os.Chmod(w.Path("a.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.Git("stash", "push", "-q")
	w.Turn("s1", "write", func() { w.Write("a.txt", "of one\n"+w.Read("a.txt")) })
	w.Write("a.txt", "of one\na person's\n")
	w.WantsOf("s1", w.GitCommit("-a", "-m", "both"), "a.txt")
	w.NothingLeft()
}
