package strategy

import (
	"os"
	"path/filepath"
	"testing"
)

// One session's steps lie on the commit that is replaced, the other's on its
// parent, and nobody remembers whose the lines of either are: both tell of the
// file from the same version on.
func TestAttributionOfBranchesOnTheReplacedCommitAndItsParent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Write("a.txt", "one\ntwo\nthree\nfour\n")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "below")
	w.Write("a.txt", "three\nfour\n")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "replaced")
	w.turn("s2", "write", func() { w.Write("a.txt", "three\nfour\n"+lines("second agent", 2)) })
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.prompt("s1", "write")
	w.Write("a.txt", w.Read("a.txt")+lines("first agent", 1))
	w.saysItWrote("s1", "t1", "a.txt", lines("first agent", 1))
	if err := os.Remove(filepath.Join(w.GitPath("entire"), "lines.json")); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	cp := w.gitCommit("-a", "-m", "again")
	w.wantTold(cp, "s1", "1/0/0/0/3")
}
