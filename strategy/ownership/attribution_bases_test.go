package ownership_test

import (
	"os"
	"path/filepath"
	"testing"

	"entire/strategy/internal/enginetest"
)

// One session's steps lie on the commit that is replaced, the other's on its
// parent, and nobody remembers whose the lines of either are: both tell of the
// file from the same version on.
func TestAttributionOfBranchesOnTheReplacedCommitAndItsParent(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Write("a.txt", "one\ntwo\nthree\nfour\n")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "below")
	w.Write("a.txt", "three\nfour\n")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "replaced")
	w.Turn("s2", "write", func() { w.Write("a.txt", "three\nfour\n"+enginetest.Lines("second agent", 2)) })
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.Prompt("s1", "write")
	w.Write("a.txt", w.Read("a.txt")+enginetest.Lines("first agent", 1))
	w.SaysItWrote("s1", "t1", "a.txt", enginetest.Lines("first agent", 1))
	if err := os.Remove(filepath.Join(w.GitPath("entire"), "lines.json")); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	cp := w.GitCommit("-a", "-m", "again")
	w.WantTold(cp, "s1", "1/0/0/0/3")
}
