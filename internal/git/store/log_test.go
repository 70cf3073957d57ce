package store

import (
	"fmt"
	"reflect"
	"testing"

	"entire/internal/testrepo"
)

// TestNativeLogAndRefs compares what is read from the files with what git says of the
// same history: merges, equal dates, packed refs under loose ones.
func TestNativeLogAndRefs(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	for i := range 6 {
		r.Git("commit", "-q", "--allow-empty", "-m", fmt.Sprintf("main %d\n\nbody\n", i))
		r.Git("update-ref", fmt.Sprintf("refs/entire/undo/a%d", i), "HEAD")
		if i == 2 {
			r.Git("branch", "side")
			r.Git("pack-refs", "--all")
		}
	}
	r.Git("checkout", "-q", "side")
	r.Git("commit", "-q", "--allow-empty", "-m", "side")
	r.Git("update-ref", "refs/entire/undo/a1", "HEAD")
	r.Git("merge", "-q", "-m", "merge", "main")
	r.Git("update-ref", "refs/remotes/origin/x", "HEAD")
	r.Git("update-ref", "-d", "refs/entire/undo/a5")
	read := func(native bool) (all []any) {
		repo := open(t, r)
		for _, n := range []int{1, 3, 50} {
			if _, ok := repo.Reader(t.Context()).recent("HEAD", n); ok != native {
				t.Fatalf("a log of %d read natively: %v", n, ok)
			}
			log, err := repo.Log(t.Context(), "HEAD", n)
			if err != nil || len(log) == 0 {
				t.Fatalf("Log of %d: %d commits, %v", n, len(log), err)
			}
			all = append(all, log)
		}
		for _, prefix := range []string{"refs/entire/", "refs/entire/undo/a", "refs/remotes/", "refs/entire/none/"} {
			refs, err := repo.Refs(t.Context(), prefix)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, refs)
		}
		return all
	}
	native := read(true)
	r.Write(".git/objects/info/alternates", "") // only git follows those
	for i, asked := range read(false) {
		if !reflect.DeepEqual(native[i], asked) {
			t.Errorf("%d: read natively\n%+v\nby git\n%+v", i, native[i], asked)
		}
	}
}

// TestRefsOfAPatternAreAskedOfGit: only git knows what a pattern matches.
func TestRefsOfAPatternAreAskedOfGit(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{"a.txt": "a\n"}))
	r.Git("update-ref", "refs/remotes/origin/x/y", "HEAD")
	repo := open(t, r)
	for pattern, want := range map[string]int{"refs/remotes/*/x/y": 1, "refs/remotes/**/y": 1, "refs/remotes/o?igin/x/y": 1, "refs/remotes/": 1, "refs/remotes/*/y": 0} {
		refs, err := repo.Refs(t.Context(), pattern)
		if err != nil || len(refs) != want {
			t.Errorf("%s: %v, %v", pattern, refs, err)
		}
	}
}
