package git

import (
	"maps"
	"os"
	"slices"
	"testing"

	"entire/internal/testrepo"
)

func ignoredPaths(t testing.TB, got map[string]bool, err error) []string {
	t.Helper()
	ok(t, err)
	return slices.Sorted(maps.Keys(got))
}

func TestIgnored(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{
		".gitignore": "*.log\nbuild/\n!keep.log\n", "d/.gitignore": "/local\n", "tracked.log": "",
	}))
	r.Git("add", "-f", "tracked.log")
	r.Git("commit", "-qm", "tracked")
	r.Write(".git/info/exclude", "private\n")
	r.Write("elsewhere/excludes", "personal\n")
	r.Git("config", "core.excludesFile", r.Path("elsewhere/excludes"))
	r.Write("real/x", "")
	r.Symlink("real", "linked")
	r.Submodule("lib")
	r.Git("init", "-q", "inner")
	r.Git("submodule", "--quiet", "deinit", "-f", "lib")
	repo := open(t, r)
	paths := []string{
		"a.txt", "a.log", "keep.log", "tracked.log", "build/out", "build", "d/local", "d/e/local", "private", "x/personal",
		"linked/x", "linked", "inner/f", "inner/d/f", "lib/f", "-n", "new\nline.log", "\xff.log", "gone/deep/b.log", ":(glob)x",
	}
	got, err := repo.Ignored(t.Context(), paths)
	want := []string{"a.log", "build/out", "d/local", "gone/deep/b.log", "inner/d/f", "inner/f", "lib/f", "linked/x", "new\nline.log", "private", "x/personal", "\xff.log"}
	if list := ignoredPaths(t, got, err); !slices.Equal(list, want) {
		t.Errorf("ignored %q, want %q", list, want)
	}
	if got, err := repo.Ignored(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestIgnoredIn asks the rules of another state than the worktree's.
func TestIgnoredIn(t *testing.T) {
	t.Parallel()
	for _, opt := range []testrepo.Option{base, testrepo.SHA256(), testrepo.SeparateGitDir()} {
		r := testrepo.New(t, opt, testrepo.Files(map[string]string{
			".gitignore": "secret\r\n*.o\n", "sub/.gitignore": "!important.o\n/here\n", "a.o": "",
		}))
		r.Git("add", "-f", "a.o")
		r.Git("commit", "-qm", "tracked")
		then := oidOf(t, r.Git("rev-parse", "HEAD^{tree}"))
		ok(t, os.WriteFile(r.GitPath("info/exclude"), []byte("private\n"), 0o644))
		r.Write(".gitignore", "now\n")
		r.Remove("sub")
		r.Commit("other rules")
		repo := open(t, r)
		paths := []string{"secret", "deep/secret", "now", "a.o", "sub/important.o", "sub/here", "sub/x/here", "sub/x/y.o", "private", "f"}
		got, err := repo.IgnoredIn(t.Context(), then, paths)
		want := []string{"a.o", "deep/secret", "private", "secret", "sub/here", "sub/x/y.o"}
		if list := ignoredPaths(t, got, err); !slices.Equal(list, want) {
			t.Errorf("ignored %q, want %q", list, want)
		}
		got, err = repo.Ignored(t.Context(), paths)
		if list := ignoredPaths(t, got, err); !slices.Equal(list, []string{"now", "private"}) {
			t.Errorf("ignored at present %q", list)
		}
		entries, err := os.ReadDir(r.GitPath("entire/tmp"))
		if err != nil || len(entries) != 0 {
			t.Errorf("left behind %v, %v", entries, err)
		}
	}
}
