package main

import (
	"os"
	"path/filepath"
	"testing"

	"entire/internal/testrepo"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFindPlace(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	linked := filepath.Join(filepath.Dir(r.Dir), "linked")
	r.Git("worktree", "add", "-q", linked)
	sub := filepath.Join(r.Dir, "a", "b")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	if p := findPlace(sub); p.top != r.Dir || p.setUp {
		t.Fatalf("before enable: %+v", p)
	}
	if p := findPlace(filepath.Dir(r.Dir)); p.setUp {
		t.Errorf("outside: %+v", p)
	}

	settings := filepath.Join(r.Dir, ".entire", "settings.json")
	put(t, settings, `{"enabled":true}`)
	if p := findPlace(sub); p.top != r.Dir || !p.active() || p.off() {
		t.Errorf("in a subdirectory: %+v", p)
	}
	if p := findPlace(linked); p.top != linked || p.settings != r.Dir || !p.active() {
		t.Errorf("in a linked worktree: %+v", p)
	}
	put(t, settings, `{"enabled":false}`)
	if p := findPlace(linked); p.active() || !p.off() {
		t.Errorf("in a linked worktree, disabled: %+v", p)
	}
	put(t, filepath.Join(linked, ".entire", "settings.local.json"), `{"enabled":true}`)
	if p := findPlace(linked); p.settings != linked || !p.active() {
		t.Errorf("in a linked worktree with settings: %+v", p)
	}

	// A branch from before Entire has no settings; what was set up stays so.
	if err := os.RemoveAll(filepath.Join(r.Dir, ".entire")); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(r.Dir, ".git", "entire-sessions", "x"), "")
	if p := findPlace(sub); !p.active() {
		t.Errorf("on an old branch: %+v", p)
	}
}

func TestFindPlaceOfSeparateGitDir(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.SeparateGitDir())
	put(t, filepath.Join(r.Dir+".git", "entire-sessions", "x"), "")
	if p := findPlace(r.Dir); p.top != r.Dir || !p.active() {
		t.Errorf("findPlace = %+v", p)
	}
}

func TestBranchAt(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	linked := filepath.Join(filepath.Dir(r.Dir), "linked")
	r.Git("worktree", "add", "-q", "-b", "side/way", linked)
	for dir, want := range map[string]string{r.Dir: "main", linked: "side/way", filepath.Dir(r.Dir): "?"} {
		if got := branchAt(dir); got != want {
			t.Errorf("branchAt(%s) = %q, want %q", dir, got, want)
		}
	}
	r.Git("checkout", "-q", "--detach")
	if got := branchAt(r.Dir); got != "HEAD" {
		t.Errorf("detached: %q", got)
	}
}

// FuzzGitFile: a .git file may say anything.
func FuzzGitFile(f *testing.F) {
	for _, seed := range []string{"gitdir: ../x/.git/worktrees/y\n", "gitdir: /", "", "gitdir: \x00", "ref: x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		put(t, filepath.Join(dir, ".git"), text)
		if p := findPlace(dir); p.top != dir {
			t.Errorf("top = %q", p.top)
		}
	})
}
