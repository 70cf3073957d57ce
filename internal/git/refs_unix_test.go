//go:build unix

package git_test

import (
	"strconv"
	"strings"
	"syscall"
	"testing"

	"entire/internal/git"
	"entire/internal/testrepo"
)

// A kill of our process group must not reach a git that holds lock files.
func TestUpdateRefsStandsApart(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Write(".git/hooks/reference-transaction", "#!/bin/sh\nps -o pgid= -p $$ >'"+r.Path(".git/group")+"'\n")
	r.Chmod(".git/hooks/reference-transaction", 0o755)
	repo, err := git.Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	head, err := git.ParseOID(r.Head())
	if err != nil {
		t.Fatal(err)
	}
	if err := repo.UpdateRefs(t.Context(), []git.RefUpdate{{Name: "refs/entire/test", New: head}}); err != nil {
		t.Fatal(err)
	}
	group, err := strconv.Atoi(strings.TrimSpace(r.Read(".git/group")))
	if err != nil {
		t.Fatal(err)
	}
	if group == syscall.Getpgrp() {
		t.Error("git update-ref is in our process group")
	}
}
