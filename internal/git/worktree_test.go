package git

import (
	"testing"

	"entire/internal/git/object"
	"entire/internal/git/store"
	"entire/internal/testrepo"
)

func TestBareRepository(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, base)
	bare := r.Clone("--bare")
	repo := open(t, bare)
	if !repo.Bare || repo.Top != "" || repo.GitDir != bare.Dir {
		t.Errorf("bare %t, top %q, git dir %s", repo.Bare, repo.Top, repo.GitDir)
	}
	ctx := t.Context()
	head, found, err := repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !found {
		t.Fatal(err)
	}
	tree := must[object.OID](t)(repo.EditTree(ctx, head.Tree, []store.Edit{{Path: "kept/same.txt"}}))
	c := must[object.OID](t)(repo.Writer().Commit(object.Commit{Tree: tree, Author: tester, Committer: tester, Message: "m\n"}))
	ok(t, repo.UpdateRefs(ctx, []store.RefUpdate{{Name: "refs/heads/x", New: c}}))
	if got := bare.Git("ls-tree", "-r", "--name-only", "x"); got != "kept/changed.txt\nkept/removed.txt" {
		t.Errorf("tree %q", got)
	}
	if _, err := repo.OpenWorktree(); err == nil {
		t.Error("a bare repository has a worktree")
	}
	bare.Fsck()
}
