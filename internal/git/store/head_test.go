package store

import (
	"context"
	"testing"

	"entire/internal/testrepo"
)

func TestHeadIsReadWithoutAProcess(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(r *testrepo.Repo){
		"loose":    func(r *testrepo.Repo) {},
		"packed":   func(r *testrepo.Repo) { r.Git("pack-refs", "--all") },
		"detached": func(r *testrepo.Repo) { r.Git("checkout", "-q", "--detach") },
		"nested":   func(r *testrepo.Repo) { r.Git("switch", "-q", "-c", "a/b/c") },
	} {
		r := testrepo.New(t)
		make(r)
		repo, err := Discover(context.Background(), r.Dir, r.Env)
		if err != nil {
			t.Fatal(err)
		}
		oid, ok := repo.Head(t.Context())
		if want := r.Git("rev-parse", "HEAD"); !ok || oid.String() != want {
			t.Errorf("%s: %s, %v, want %s", name, oid, ok, want)
		}
		repo.Close()
	}
	r := testrepo.New(t, testrepo.Unborn())
	repo, err := Discover(context.Background(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	if oid, ok := repo.Head(t.Context()); ok {
		t.Errorf("unborn: %s", oid)
	}
}
