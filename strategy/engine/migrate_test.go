package engine_test

import (
	"testing"

	"entire/strategy/internal/enginetest"
	"entire/strategy/worktree"
)

// TestMigratedRefs: `git refs migrate` in the middle of a session loses nothing, there and back. What is known of the worktree
// counts still, and commits are linked.
func TestMigratedRefs(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	formats := []string{"reftable", "files"}
	if w.Engine().Repo.InTables() {
		formats = []string{"files", "reftable"}
	}
	for _, format := range formats {
		w.Turn("s1", "before "+format, func() { w.Write("before-"+format, "one\n") })
		tip, points := w.Git("rev-parse", w.Shadows()[0]), len(w.Points())
		if out, err := w.Command("git", "refs", "migrate", "--ref-format="+format).CombinedOutput(); err != nil {
			t.Skipf("this git has no tables of refs: %s", out)
		}
		e := w.Engine()
		if e.Repo.InTables() != (format == "reftable") {
			t.Fatalf("%s: in tables: %v", format, e.Repo.InTables())
		}
		if c := worktree.LoadCache(w.Ctx, e); c.Tip.String() != tip {
			t.Errorf("%s: the cache is of %s, the newest step is %s", format, c.Tip, tip)
		}
		w.Turn("s1", "after "+format, func() { w.Write("after-"+format, "two\n") })
		if got := len(w.Points()); got != points+1 {
			t.Errorf("%s: %d points, want %d", format, got, points+1)
		}
		w.Git("add", "-A")
		if w.GitCommit("-m", format) == "" {
			t.Errorf("%s: the commit is not linked", format)
		}
	}
	w.Fsck()
}
