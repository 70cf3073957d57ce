package condense_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/strategy/internal/enginetest"
)

// A session works on a file that a reset has brought back, and something else is
// committed meanwhile: the file's commit names the undone checkpoint, too.
func TestUndoneWorkUnderAnothersIsMadeAgainAfterACommit(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Prompt("s1", "write")
	w.Write("new.txt", "line one, of one\nline two, of one\n")
	w.Git("add", "-A")
	first := w.GitCommit("-m", "new")
	w.Write("b.txt", "of one\n")
	w.Stop("s1")
	w.Git("reset", "-q", "HEAD~1")
	w.Turn("s2", "more", func() { w.Write("new.txt", w.Read("new.txt")+"line three, of two\n") })
	w.GitCommit("-a", "-m", "b")
	w.Git("add", "-A")
	second := w.GitCommit("-m", "new again")
	if slots := w.Slots(second[:12]); len(slots) != 1 || slots["s2"] == nil {
		t.Errorf("the second: %v", slots)
	}
	w.Wants(second[:12], first)
}

// What a session did to a file is committed as it left it, and what another did
// there since waits: that is the other's alone.
func TestRestOfAFileIsOfWhoDidIt(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s2", "write", func() { w.Write("new.txt", "of two\n") })
	w.Turn("s1", "remove", func() { w.Remove("a.txt") })
	w.Git("add", "-A")
	w.Turn("s2", "again", func() { w.Write("a.txt", "of two, again\n") })
	if slots := w.Slots(w.GitCommit("-m", "as staged")); len(slots) != 2 {
		t.Errorf("the first: %v", slots)
	}
	w.Git("add", "-A")
	if slots := w.Slots(w.GitCommit("-m", "again")); len(slots) != 1 || slots["s2"] == nil {
		t.Errorf("the second: %v", slots)
	}
	w.NothingLeft()
}

// A session takes back what a person had staged: when the file is as in HEAD
// everywhere, nothing of it waits.
func TestStagedWorkOfAPersonThatWasTakenBack(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Write("a.txt", "by hand\n")
	w.Chmod("b.txt", 0o755)
	w.Git("add", "-A")
	w.Turn("s1", "no", func() { w.Chmod("b.txt", 0o644) })
	w.Write("mine.txt", "by hand\n")
	w.Git("add", "mine.txt")
	w.GitCommit("-m", "mine", "mine.txt")
	if got := w.Touched("s1"); got != "b.txt" { // it is staged still
		t.Errorf("pending: %s", got)
	}
	w.Git("add", "-A")
	w.GitCommit("-m", "by hand")
	w.Wants()
	w.NothingLeft()
}

// A person throws a session's change away and writes something else there later,
// for others to be committed with: no work of the session's is in it.
func TestWorkThatWasThrownAwayIsNotReplaced(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s2", "write", func() { w.Write("a.txt", w.Read("a.txt")+"of two\n") })
	w.Git("reset", "-q", "--hard")
	w.Turn("s1", "write", func() { w.Write("b.txt", "of one\n") })
	w.Write("a.txt", strings.Replace(w.Read("a.txt"), "four", "by hand", 1))
	if slots := w.Slots(w.GitCommit("-a", "-m", "all")); len(slots) != 1 || slots["s1"] == nil {
		t.Errorf("linked to %v", slots)
	}
	w.NothingLeft()
}

// After a commit the cache has what the step holds. Where the worktree's file is
// another, its stat data says nothing of that.
func TestStatDataOfAnotherVersionIsNotRemembered(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Git("switch", "-q", "-c", "ahead")
	w.Write("theirs.txt", "theirs\n")
	w.Git("add", "-A")
	w.CommitUnhooked()
	w.Git("switch", "-q", "main")
	w.Remove("b.txt")
	w.Prompt("s2", "look")
	w.Git("merge", "-q", "ahead")
	w.Turn("s1", "write", func() {
		w.Write("b.txt", "of one\n")
		old := w.Now.Add(-time.Hour)
		w.Must(os.Chtimes(filepath.Join(w.Dir, "b.txt"), old, old))
	})
	w.Git("reset", "-q", "HEAD~1")
	w.Write("a.txt", w.Read("a.txt")+"of two\n")
	w.Edits("s2", "a.txt")
	w.GitCommit("-m", "a", "a.txt")
	w.Prompt("s1", "more")
	if tip := w.Shadows()[0]; w.Git("show", tip+":b.txt") != "of one" {
		t.Errorf("the step has %q", w.Git("show", tip+":b.txt"))
	}
	w.Git("add", "-A")
	if slots := w.Slots(w.GitCommit("-m", "b")); slots["s1"] == nil {
		t.Errorf("linked to %v", slots)
	}
}

// Work that was carried forward together with another session's is pending still
// after a rewind to a later point.
func TestRewindKeepsWhatWasCarriedForSeveral(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s2", "write", func() {
		w.Write("b.txt", "of two\n")
		w.Write("new.txt", "of two\n")
	})
	w.Turn("s1", "write", func() { w.Write("a.txt", "of one\n") })
	w.GitCommit("-a", "-m", "both")
	w.Turn("s2", "more", func() { w.Write("more.txt", "of two\n") })
	w.Rewind(w.Points()[0].ID)
	w.Git("add", "-A")
	if got := strings.Join(w.Slots(w.GitCommit("-m", "the rest"))["s2"], " "); got != "more.txt new.txt" {
		t.Errorf("listed: %s", got)
	}
	w.NothingLeft()
}
