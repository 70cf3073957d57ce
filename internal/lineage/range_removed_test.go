package lineage

import (
	"context"
	"errors"
	"testing"

	"entire/internal/git"
	"entire/internal/testrepo"
)

// TestLastSeenEnds: what ends git in the middle does not make a line's remover unknown.
func TestLastSeenEnds(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{"a.txt": "one\ntwo\n"}))
	repo, err := git.Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	head, ok := repo.Head()
	if !ok {
		t.Fatal("no HEAD")
	}
	b := &rangeBlame{r: New(repo, Options{}), net: &Net{From: head, Commits: make([]git.Commit, 2)}, head: head}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if last, err := b.lastSeen(ctx, &NetFile{Path: "a.txt"}, []lineQuery{{line: 1}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search gave %v, %v", last, err)
	}
	if last, err := b.lastSeen(t.Context(), &NetFile{Path: "no such file"}, []lineQuery{{line: 1}}); err != nil || last != nil {
		t.Errorf("a file that git cannot blame gave %v, %v", last, err)
	}
}
