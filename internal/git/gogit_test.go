//go:build !nogogit

package git

import (
	"strings"
	"testing"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/memory"

	"entire/internal/testrepo"
)

func TestGoGitFacade(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, base)
	for name, dir := range map[string]string{"worktree": r.Dir, "linked": r.Worktree("side").Dir, "bare": r.Clone("--bare").Dir} {
		theirs, err := gogit.PlainOpenWithOptions(dir, &gogit.PlainOpenOptions{EnableDotGitCommonDir: true})
		ok(t, err)
		repo, err := FromGoGit(t.Context(), theirs)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		head, _, err := repo.Reader(t.Context()).CommitOf("HEAD")
		ok(t, err)
		if c, err := theirs.CommitObject(head.OID.Hash()); err != nil || FromHash(c.Hash) != head.OID || c.Hash.String() != r.Head() {
			t.Errorf("%s: commit %v, error %v", name, c, err)
		}
		ok(t, repo.Close())
	}
	inMemory, err := gogit.Init(memory.NewStorage(), nil)
	ok(t, err)
	if _, err := FromGoGit(t.Context(), inMemory); err == nil {
		t.Error("a repository in memory has a place")
	}
}

func TestHashesOfBothKinds(t *testing.T) {
	t.Parallel()
	if got := MustOID(someOID).Hash().String(); got != someOID {
		t.Errorf("hash %s", got)
	}
	if !MustOID(strings.Repeat("ab", 32)).Hash().IsZero() {
		t.Error("a long ID has a SHA-1 hash")
	}
	if !FromHash(plumbing.ZeroHash).IsZero() {
		t.Error("the zero hash names an object")
	}
}
