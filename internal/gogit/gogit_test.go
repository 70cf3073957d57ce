package gogit_test

import (
	"strings"
	"testing"

	upstream "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/memory"

	"entire/internal/git"
	"entire/internal/gogit"
	"entire/internal/testrepo"
)

func TestFromRepository(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{"a.txt": "a\n"}))
	for name, dir := range map[string]string{"worktree": r.Dir, "linked": r.Worktree("side").Dir, "bare": r.Clone("--bare").Dir} {
		theirs, err := upstream.PlainOpenWithOptions(dir, &upstream.PlainOpenOptions{EnableDotGitCommonDir: true})
		if err != nil {
			t.Fatal(err)
		}
		repo, err := gogit.FromRepository(t.Context(), theirs)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		head, _, err := repo.Reader(t.Context()).CommitOf("HEAD")
		if err != nil {
			t.Fatal(err)
		}
		if c, err := theirs.CommitObject(gogit.Hash(head.OID)); err != nil || gogit.FromHash(c.Hash) != head.OID || c.Hash.String() != r.Head() {
			t.Errorf("%s: commit %v, error %v", name, c, err)
		}
		if err := repo.Close(); err != nil {
			t.Error(err)
		}
	}
	inMemory, err := upstream.Init(memory.NewStorage(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gogit.FromRepository(t.Context(), inMemory); err == nil {
		t.Error("a repository in memory has a place")
	}
}

// TestTablesAreRefused: package checkpoint documents what go-git says of refs in tables.
func TestTablesAreRefused(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Git("config", "core.repositoryFormatVersion", "1")
	r.Git("config", "extensions.refStorage", "reftable")
	_, err := upstream.PlainOpen(r.Dir)
	if want := "unknown extension: refstorage"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestHashesOfBothKinds(t *testing.T) {
	t.Parallel()
	const id = "0123456789abcdef0123456789abcdef01234567"
	if got := gogit.Hash(git.MustOID(id)).String(); got != id {
		t.Errorf("hash %s", got)
	}
	if !gogit.Hash(git.MustOID(strings.Repeat("ab", 32))).IsZero() {
		t.Error("a long ID has a SHA-1 hash")
	}
	if !gogit.FromHash(plumbing.ZeroHash).IsZero() {
		t.Error("the zero hash names an object")
	}
}
