package strategy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A session works on a file that a reset has brought back, and something else is
// committed meanwhile: the file's commit names the undone checkpoint, too.
func TestUndoneWorkUnderAnothersIsMadeAgainAfterACommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.prompt("s1", "write")
	w.Write("new.txt", "line one, of one\nline two, of one\n")
	w.Git("add", "-A")
	first := w.gitCommit("-m", "new")
	w.Write("b.txt", "of one\n")
	w.stop("s1")
	w.Git("reset", "-q", "HEAD~1")
	w.turn("s2", "more", func() { w.Write("new.txt", w.Read("new.txt")+"line three, of two\n") })
	w.gitCommit("-a", "-m", "b")
	w.Git("add", "-A")
	second := w.gitCommit("-m", "new again")
	if slots := w.slots(second[:12]); len(slots) != 1 || slots["s2"] == nil {
		t.Errorf("the second: %v", slots)
	}
	w.wants(second[:12], first)
}

// What a session did to a file is committed as it left it, and what another did
// there since waits: that is the other's alone.
func TestRestOfAFileIsOfWhoDidIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s2", "write", func() { w.Write("new.txt", "of two\n") })
	w.turn("s1", "remove", func() { w.Remove("a.txt") })
	w.Git("add", "-A")
	w.turn("s2", "again", func() { w.Write("a.txt", "of two, again\n") })
	if slots := w.slots(w.gitCommit("-m", "as staged")); len(slots) != 2 {
		t.Errorf("the first: %v", slots)
	}
	w.Git("add", "-A")
	if slots := w.slots(w.gitCommit("-m", "again")); len(slots) != 1 || slots["s2"] == nil {
		t.Errorf("the second: %v", slots)
	}
	w.nothingLeft()
}

// A session takes back what a person had staged: when the file is as in HEAD
// everywhere, nothing of it waits.
func TestStagedWorkOfAPersonThatWasTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Write("a.txt", "by hand\n")
	w.Chmod("b.txt", 0o755)
	w.Git("add", "-A")
	w.turn("s1", "no", func() { w.Chmod("b.txt", 0o644) })
	w.Write("mine.txt", "by hand\n")
	w.Git("add", "mine.txt")
	w.gitCommit("-m", "mine", "mine.txt")
	if got := w.touched("s1"); got != "b.txt" { // it is staged still
		t.Errorf("pending: %s", got)
	}
	w.Git("add", "-A")
	w.gitCommit("-m", "by hand")
	w.wants()
	w.nothingLeft()
}

// A person throws a session's change away and writes something else there later,
// for others to be committed with: no work of the session's is in it.
func TestWorkThatWasThrownAwayIsNotReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s2", "write", func() { w.Write("a.txt", w.Read("a.txt")+"of two\n") })
	w.Git("reset", "-q", "--hard")
	w.turn("s1", "write", func() { w.Write("b.txt", "of one\n") })
	w.Write("a.txt", strings.Replace(w.Read("a.txt"), "four", "by hand", 1))
	if slots := w.slots(w.gitCommit("-a", "-m", "all")); len(slots) != 1 || slots["s1"] == nil {
		t.Errorf("linked to %v", slots)
	}
	w.nothingLeft()
}

// After a commit the cache has what the step holds. Where the worktree's file is
// another, its stat data says nothing of that.
func TestStatDataOfAnotherVersionIsNotRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Git("switch", "-q", "-c", "ahead")
	w.Write("theirs.txt", "theirs\n")
	w.Git("add", "-A")
	w.commitUnhooked()
	w.Git("switch", "-q", "main")
	w.Remove("b.txt")
	w.prompt("s2", "look")
	w.Git("merge", "-q", "ahead")
	w.turn("s1", "write", func() {
		w.Write("b.txt", "of one\n")
		old := w.now.Add(-time.Hour)
		w.must(os.Chtimes(filepath.Join(w.Dir, "b.txt"), old, old))
	})
	w.Git("reset", "-q", "HEAD~1")
	w.Write("a.txt", w.Read("a.txt")+"of two\n")
	w.edits("s2", "a.txt")
	w.gitCommit("-m", "a", "a.txt")
	w.prompt("s1", "more")
	if tip := w.shadows()[0]; w.Git("show", tip+":b.txt") != "of one" {
		t.Errorf("the step has %q", w.Git("show", tip+":b.txt"))
	}
	w.Git("add", "-A")
	if slots := w.slots(w.gitCommit("-m", "b")); slots["s1"] == nil {
		t.Errorf("linked to %v", slots)
	}
}

// Work that was carried forward together with another session's is pending still
// after a rewind to a later point.
func TestRewindKeepsWhatWasCarriedForSeveral(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s2", "write", func() {
		w.Write("b.txt", "of two\n")
		w.Write("new.txt", "of two\n")
	})
	w.turn("s1", "write", func() { w.Write("a.txt", "of one\n") })
	w.gitCommit("-a", "-m", "both")
	w.turn("s2", "more", func() { w.Write("more.txt", "of two\n") })
	w.rewind(w.points()[0].ID)
	w.Git("add", "-A")
	if got := strings.Join(w.slots(w.gitCommit("-m", "the rest"))["s2"], " "); got != "more.txt new.txt" {
		t.Errorf("listed: %s", got)
	}
	w.nothingLeft()
}
