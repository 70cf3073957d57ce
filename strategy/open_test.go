package strategy

import (
	"testing"
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
