//go:build unix

package git

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"entire/internal/git/store"
	"entire/internal/git/worktree"
	"entire/internal/testrepo"
)

// TestPipesAreNotWaitedFor: git would wait for somebody to write into it.
func TestPipesAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Remove("README.md")
	ok(t, unix.Mkfifo(r.Path("README.md"), 0o644))
	ok(t, unix.Mkfifo(r.Path("untracked"), 0o644))
	r.Write("a", "a\n")
	repo := open(t, r)
	ctx := timeout(t, 10*time.Second)
	res := must[store.HashResult](t)(repo.HashFiles(ctx, []string{"README.md", "a", "untracked"}))
	if len(res.Skipped) != 2 || len(res.OIDs) != 1 {
		t.Errorf("stored %d, skipped %q", len(res.OIDs), res.Skipped)
	}
	c, _, _ := snapshot(t, repo, shapeRef)
	if got := r.Git("ls-tree", "--name-only", c.OID.String()); got != "README.md\na" && got != "a" {
		t.Errorf("snapshot holds %q", got)
	}
	wt := must[*worktree.Worktree](t)(repo.OpenWorktree())
	defer wt.Close()
	if _, _, err := wt.Read("untracked"); err == nil {
		t.Error("a pipe was read")
	}
}
