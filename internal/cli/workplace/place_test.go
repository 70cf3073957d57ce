package workplace

import (
	"os"
	"path/filepath"
	"testing"

	"entire/internal/cli/clitest"
	"entire/internal/testrepo"
)

func TestFindPlace(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	linked := filepath.Join(filepath.Dir(r.Dir), "linked")
	r.Git("worktree", "add", "-q", linked)
	sub := filepath.Join(r.Dir, "a", "b")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	if p := FindPlace(sub); p.Top != r.Dir || p.SetUp {
		t.Fatalf("before enable: %+v", p)
	}
	if p := FindPlace(filepath.Dir(r.Dir)); p.SetUp {
		t.Errorf("outside: %+v", p)
	}

	settings := filepath.Join(r.Dir, ".entire", "settings.json")
	clitest.Put(t, settings, `{"enabled":true}`)
	if p := FindPlace(sub); p.Top != r.Dir || !p.Active() || p.Off() {
		t.Errorf("in a subdirectory: %+v", p)
	}
	if p := FindPlace(linked); p.Top != linked || p.Settings != r.Dir || !p.Active() {
		t.Errorf("in a linked worktree: %+v", p)
	}
	clitest.Put(t, settings, `{"enabled":false}`)
	if p := FindPlace(linked); p.Active() || !p.Off() {
		t.Errorf("in a linked worktree, disabled: %+v", p)
	}
	clitest.Put(t, filepath.Join(linked, ".entire", "settings.local.json"), `{"enabled":true}`)
	if p := FindPlace(linked); p.Settings != linked || !p.Active() {
		t.Errorf("in a linked worktree with settings: %+v", p)
	}

	// A branch from before Entire has no settings; what was set up stays so.
	if err := os.RemoveAll(filepath.Join(r.Dir, ".entire")); err != nil {
		t.Fatal(err)
	}
	clitest.Put(t, filepath.Join(r.Dir, ".git", "entire-sessions", "x"), "")
	if p := FindPlace(sub); !p.Active() {
		t.Errorf("on an old branch: %+v", p)
	}
}

func TestFindPlaceOfSeparateGitDir(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.SeparateGitDir())
	clitest.Put(t, filepath.Join(r.Dir+".git", "entire-sessions", "x"), "")
	if p := FindPlace(r.Dir); p.Top != r.Dir || !p.Active() {
		t.Errorf("findPlace = %+v", p)
	}
}

func TestBranchAt(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	linked := filepath.Join(filepath.Dir(r.Dir), "linked")
	r.Git("worktree", "add", "-q", "-b", "side/way", linked)
	for dir, want := range map[string]string{r.Dir: "main", linked: "side/way", filepath.Dir(r.Dir): "?"} {
		if got := BranchAt(t.Context(), r.Env, dir); got != want {
			t.Errorf("branchAt(%s) = %q, want %q", dir, got, want)
		}
	}
	r.Git("checkout", "-q", "--detach")
	if got := BranchAt(t.Context(), r.Env, r.Dir); got != "HEAD" {
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
		clitest.Put(t, filepath.Join(dir, ".git"), text)
		if p := FindPlace(dir); p.Top != dir {
			t.Errorf("top = %q", p.Top)
		}
	})
}
