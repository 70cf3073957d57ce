package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

// Both modes give the same answer: folders that git names as a whole are looked into.
func TestStatusIsTheSameWithCachedUntrackedFiles(t *testing.T) {
	r := testrepo.New(t)
	writeAll(r, map[string]string{"kept/a.txt": "a", ".gitignore": "*.log\nignored/\n"})
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "first")
	writeAll(r, map[string]string{"kept/a.txt": "changed", "kept/new.txt": "n", "new/b.txt": "b", "new/deep/c.txt": "c", "new/deep/x.log": "ignored", "zz/only.log": "ignored",
		"ignored/d.txt": "d", "rules/.gitignore": "*\n!e.txt\n", "rules/e.txt": "e", "rules/f.txt": "f", "odd \"name\"/g.txt": "g", "git~1/h.txt": "h", "top.txt": "t", "*/star.txt": "s"})
	for _, dir := range []string{"nested", "new/inner", "bare folder/born"} {
		path := filepath.Join(r.Dir, dir)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		r.Git("-C", path, "init", "-q")
		if dir != "bare folder/born" {
			r.Git("-C", path, "commit", "-q", "--allow-empty", "-m", "inner")
		}
	}
	if err := os.MkdirAll(filepath.Join(r.Dir, "empty/inside"), 0o755); err != nil {
		t.Fatal(err)
	}
	repo := open(t, r)
	want, err := repo.runStatus(t.Context(), "all")
	if err != nil {
		t.Fatal(err)
	}
	got, err := repo.runStatus(t.Context(), "normal")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want.Nested)
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b object.OID) bool { return a == b })); diff != "" || len(want.Nested) < 2 || len(want.Unstorable) == 0 || len(want.Entries) < 8 {
		t.Errorf("%s\n%+v", diff, want)
	}
}

func TestUntrackedFilesAreReadFromACacheThatGitHas(t *testing.T) {
	r := testrepo.New(t)
	writeAll(r, map[string]string{"a.txt": "a"})
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "first")
	mode := func() string { return open(t, r).untrackedMode(t.Context()) }
	r.Git("config", "core.untrackedCache", "true")
	if got := mode(); got != "all" {
		t.Errorf("in a small repository: %s", got)
	}
	if err := os.Truncate(filepath.Join(r.Dir, ".git", "index"), largeIndex); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, value, want string }{
		{"core.untrackedCache", "true", "normal"}, {"status.showUntrackedFiles", "all", "all"}, {"status.showUntrackedFiles", "normal", "normal"},
		{"core.untrackedCache", "keep", "all"}, {"feature.manyFiles", "true", "all"},
	} {
		r.Git("config", c.key, c.value)
		if got := mode(); got != c.want {
			t.Errorf("%s=%s: %s, want %s", c.key, c.value, got, c.want)
		}
	}
	r.Git("config", "--unset", "core.untrackedCache")
	if got := mode(); got != "normal" {
		t.Errorf("feature.manyFiles: %s", got)
	}
}

func writeAll(r *testrepo.Repo, files map[string]string) {
	for path, text := range files {
		r.Write(path, text)
	}
}
