package lineage

import (
	"context"
	"errors"
	"testing"

	"entire/internal/git"
	"entire/internal/testrepo"
)

// TestBetweenEnds: a range whose reading was ended is an error, not one of unknown owners.
func TestBetweenEnds(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{"a.txt": "one\ntwo\n"}))
	repo, err := git.Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	head, ok := repo.Head(t.Context())
	if !ok {
		t.Fatal("no HEAD")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if net, err := New(repo, Options{}).Between(ctx, head, head, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled report gave %v, %v", net, err)
	}
}
