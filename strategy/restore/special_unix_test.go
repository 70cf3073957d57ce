//go:build unix

package restore_test

import (
	"os"
	"syscall"
	"testing"

	"entire/internal/testrepo"
	"entire/strategy/internal/enginetest"
	"entire/strategy/worktree"
)

func mkfifo(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"was.txt": "x\n", "dir/a": "a\n"}))
	w.Turn("s1", "one", func() { w.Write("dir/a", "b\n") })
	first := w.Points()[0].ID
	w.Turn("s1", "two", func() {
		w.Remove("was.txt")
		mkfifo(t, w.Path("was.txt"))
		mkfifo(t, w.Path("dir/pipe"))
		w.Write("dir/a", "c\n")
	})
	p := w.Points()[0].ID
	if got := w.Gaps(p); len(got) != 2 || got["was.txt"] != worktree.GapSpecial || got["dir/pipe"] != worktree.GapSpecial {
		t.Errorf("gaps %v", got)
	}
	out := w.Rewind(first)
	if fi, err := os.Lstat(w.Path("was.txt")); err != nil || fi.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is gone: %v %v; %v", fi, err, out.Kept)
	}
	if w.Read("dir/a") != "b\n" || !w.Exists("dir/pipe") {
		t.Error("not as planned")
	}
}

func TestModesThatGitCannotHold(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "one", func() {
		w.Write("secret", "x\n")
		w.Chmod("secret", 0o600)
		w.Write("open", "x\n")
		w.Chmod("open", 0o777)
		w.Write("plain", "x\n")
		w.Write(".claude/settings.json", "{}\n") // as `entire enable` makes it
		w.Chmod(".claude/settings.json", 0o600)
		w.Write("run", "x\n")
		w.Chmod("run", 0o777&^umask(t, w))
	})
	p := w.Points()[0].ID
	got := w.Gaps(p)
	if len(got) != 2 || got["secret"] != worktree.GapMode || got["open"] != worktree.GapMode || w.Held(p, "secret") != "x" {
		t.Errorf("gaps %v", got)
	}
	w.Turn("s1", "two", func() {
		w.Remove("secret")
		w.Write("open", "y\n")
	})
	w.Rewind(p)
	for path, want := range map[string]os.FileMode{"secret": 0o600, "open": 0o777} {
		if fi, err := os.Stat(w.Path(path)); err != nil || fi.Mode() != want {
			t.Errorf("%s came back as %v, %v", path, fi.Mode(), err)
		}
	}
}

func umask(t *testing.T, w *enginetest.World) os.FileMode {
	mask, ok := worktree.UmaskOf(w.Engine())
	if !ok {
		t.Fatal("the umask is not known")
	}
	return mask
}

// A pipe in the place of a folder keeps no hook waiting.
func TestPipeInThePlaceOfAFolder(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Write("dir/a", "a\n")
	w.Commit("base")
	w.Turn("s1", "swap", func() {
		w.Remove("dir/a")
		w.Remove("dir")
		mkfifo(t, w.Path("dir"))
	})
	if got := w.Gaps(w.Points()[0].ID); got["dir"] != worktree.GapSpecial {
		t.Errorf("gaps %v", got)
	}
}
