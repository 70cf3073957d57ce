package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"entire/internal/git/object"
	"entire/internal/git/worktree"
	"entire/internal/testrepo"
)

// staging makes a file outside the worktree to be placed.
func staging(t testing.TB, content string, mode fs.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "staged")
	ok(t, os.WriteFile(path, []byte(content), 0o600))
	ok(t, os.Chmod(path, mode))
	return path
}

func worktreeOf(t testing.TB, r *testrepo.Repo) *worktree.Worktree {
	t.Helper()
	wt := must[*worktree.Worktree](t)(open(t, r).OpenWorktree())
	t.Cleanup(func() { _ = wt.Close() })
	return wt
}

func anything(fs.FileInfo) bool { return true }

// place is Swap whatever stands at path.
func place(w *worktree.Worktree, path, staged string) error {
	return w.Swap(path, staged, staged+".old", anything)
}

// remove is Take whatever stands at path.
func remove(t testing.TB, w *worktree.Worktree, path string) error {
	t.Helper()
	return w.Take(path, filepath.Join(t.TempDir(), "old"), 0, anything)
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		setup func(r *testrepo.Repo)
		path  string
		fails string // "" when the file must be there
	}{
		{"new", nil, "f", ""},
		{"in new folders", nil, "a/b/c/f", ""},
		{"over a file", func(r *testrepo.Repo) { r.Write("f", "old") }, "f", ""},
		{"over a read-only file", func(r *testrepo.Repo) { r.Write("f", "old"); r.Chmod("f", 0o400) }, "f", ""},
		{"over a link, which is not followed", func(r *testrepo.Repo) { r.Write("target", "old"); r.Symlink("target", "f") }, "f", ""},
		{"over a dangling link", func(r *testrepo.Repo) { r.Symlink("../outside", "f") }, "f", ""},
		{"over an empty folder", func(r *testrepo.Repo) { ok(t, os.Mkdir(r.Path("f"), 0o755)) }, "f", ""},
		{"over a folder with something in it", func(r *testrepo.Repo) { r.Write("f/keep", "x") }, "f", "folder is in the way"},
		{"below a file", func(r *testrepo.Repo) { r.Write("a", "old") }, "a/f", "file is in the way"},
		{"below a link", func(r *testrepo.Repo) { r.Write("real/x", ""); r.Symlink("real", "a") }, "a/f", worktree.ErrThroughLink.Error()},
		{"below a link to the hooks", func(r *testrepo.Repo) { r.Symlink(".git/hooks", "a") }, "a/pre-commit", worktree.ErrThroughLink.Error()},
		{"below a link out", func(r *testrepo.Repo) { r.Symlink("..", "d/a") }, "d/a/f", worktree.ErrThroughLink.Error()},
		{"into .git", nil, ".git/hooks/pre-commit", "not allowed"},
		{"into .GIT", nil, ".GIT/hooks/pre-commit", "not allowed"},
		{"into a nested .git", nil, "a/.git/config", "not allowed"},
		{"upwards", nil, "../f", "not allowed"},
		{"upwards inside", nil, "a/../../f", "not allowed"},
		{"absolute", nil, "/f", "not allowed"},
		{"nothing", nil, "", "empty"},
		{"too long", nil, strings.Repeat("x", 300), "name too long"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if row.name == "too long" && runtime.GOOS == "windows" {
				return // another message there
			}
			r := testrepo.New(t)
			if row.setup != nil {
				row.setup(r)
			}
			before := r.Snapshot()
			staged := staging(t, "new", 0o755)
			err := place(worktreeOf(t, r), row.path, staged)
			if row.fails == "" {
				if err != nil {
					t.Fatal(err)
				}
				fi, err := os.Lstat(r.Path(row.path))
				if err != nil || !fi.Mode().IsRegular() || r.Read(row.path) != "new" || runtime.GOOS != "windows" && fi.Mode().Perm() != 0o755 {
					t.Errorf("mode %v, error %v", fi.Mode(), err)
				}
				if got, had := before["target"]; had && r.Read("target") != got.Content {
					t.Error("the link was followed")
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.fails) {
				t.Errorf("error %v, want %q", err, row.fails)
			}
			if _, err := os.Lstat(staged); err != nil {
				t.Error("the staged file is gone")
			}
			for path, was := range before {
				if now := r.Snapshot()[path]; now != was {
					t.Errorf("%s changed from %+v to %+v", path, was, now)
				}
			}
		})
	}
}

func TestPlaceErrorsAreOneLine(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	err := place(worktreeOf(t, r), "a\nb/.git/x", staging(t, "x", 0o644))
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}

func TestPlaceKeepsALink(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Write("f", "old")
	link := filepath.Join(t.TempDir(), "l")
	ok(t, os.Symlink("some/where", link))
	ok(t, place(worktreeOf(t, r), "f", link))
	if target, err := os.Readlink(r.Path("f")); err != nil || target != "some/where" {
		t.Errorf("target %q, error %v", target, err)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		setup func(r *testrepo.Repo)
		path  string
		fails string
		left  []string // besides README.md
	}{
		{"file", func(r *testrepo.Repo) { r.Write("f", "") }, "f", "", nil},
		{"last in its folders", func(r *testrepo.Repo) { r.Write("a/b/c/f", "") }, "a/b/c/f", "", nil},
		{"folders stay while not empty", func(r *testrepo.Repo) { r.Write("a/b/c/f", ""); r.Write("a/g", "") }, "a/b/c/f", "", []string{"a", "a/g"}},
		{"link, not its target", func(r *testrepo.Repo) { r.Write("t", ""); r.Symlink("t", "l") }, "l", "", []string{"t"}},
		{"absent", nil, "x/y", "", nil},
		{"absent in an empty folder", func(r *testrepo.Repo) { ok(t, os.Mkdir(r.Path("x"), 0o755)) }, "x/y", "", nil},
		{"below a file", func(r *testrepo.Repo) { r.Write("x", "") }, "x/y", "", []string{"x"}},
		{"folder", func(r *testrepo.Repo) { r.Write("a/f", "") }, "a", "is a folder", []string{"a", "a/f"}},
		{"empty folder", func(r *testrepo.Repo) { ok(t, os.Mkdir(r.Path("a"), 0o755)) }, "a", "is a folder", []string{"a"}},
		{"through a link", func(r *testrepo.Repo) { r.Write("real/f", ""); r.Symlink("real", "a") }, "a/f", worktree.ErrThroughLink.Error(), []string{"a", "real", "real/f"}},
		{"in .git", nil, ".git/HEAD", "not allowed", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := testrepo.New(t)
			if row.setup != nil {
				row.setup(r)
			}
			err := remove(t, worktreeOf(t, r), row.path)
			if (err != nil) != (row.fails != "") || err != nil && !strings.Contains(err.Error(), row.fails) {
				t.Errorf("error %v, want %q", err, row.fails)
			}
			got := r.Snapshot()
			for _, path := range append(row.left, "README.md") {
				if _, there := got[path]; !there {
					t.Errorf("%s is gone", path)
				}
			}
			if len(got) != len(row.left)+1 {
				t.Errorf("left %v", got.Contents())
			}
		})
	}
}

func TestLookAtTheWorktree(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Write("d/f", "content")
	r.Chmod("d/f", 0o755)
	r.Symlink("../d/f", "d/l")
	r.Symlink("d", "linked")
	wt := worktreeOf(t, r)
	for path, want := range map[string]error{
		"d/f": nil, "d/l": nil, "d": nil, "x": fs.ErrNotExist, "x/y/z": fs.ErrNotExist, "d/f/below": fs.ErrNotExist, "linked/f": worktree.ErrThroughLink,
	} {
		if _, err := wt.Lstat(path); !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%s: error %v, want %v", path, err, want)
		}
		if _, _, err := wt.Read(path); path != "d" && (!errors.Is(err, want) || (err == nil) != (want == nil)) {
			t.Errorf("%s: error %v, want %v", path, err, want)
		}
	}
	if data, mode, err := wt.Read("d/f"); err != nil || string(data) != "content" || mode != object.ModeExec && runtime.GOOS != "windows" {
		t.Errorf("%q, mode %o, error %v", data, mode, err)
	}
	if data, mode, err := wt.Read("d/l"); err != nil || string(data) != "../d/f" || mode != object.ModeSymlink {
		t.Errorf("%q, mode %o, error %v", data, mode, err)
	}
	if _, _, err := wt.Read("d"); err == nil {
		t.Error("a folder was read")
	}
}

// TestSwappedFolder: a folder exchanged for a link between two looks leads
// nowhere.
func TestSwappedFolder(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Write("d/f", "mine")
	outside := t.TempDir()
	ok(t, os.WriteFile(filepath.Join(outside, "f"), []byte("theirs"), 0o600))
	wt := worktreeOf(t, r)
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(r.Path("d"), r.Path("e"))
			_ = os.Symlink(outside, r.Path("d"))
			_ = os.Remove(r.Path("d"))
			_ = os.Rename(r.Path("e"), r.Path("d"))
		}
	}()
	for range 500 {
		if data, _, err := wt.Read("d/f"); err == nil && string(data) != "mine" {
			t.Fatal("read through a link")
		}
		_ = remove(t, wt, "d/f2")
	}
	close(stop)
	<-done
	if data, err := os.ReadFile(filepath.Join(outside, "f")); err != nil || string(data) != "theirs" {
		t.Errorf("outside: %q, %v", data, err)
	}
}
