package condense_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"entire/internal/testrepo"
	"entire/strategy/internal/enginetest"
)

// TestCoverage: what git would add is what a step holds, and what a rewind brings
// back after everything was changed again.
func TestCoverage(t *testing.T) {
	t.Parallel()
	files := testrepo.Files(map[string]string{"a.txt": "a\n", "b.txt": "b\n", "dir/c.txt": "c\n", "dir/sub/d.txt": "d\n", "run.sh": "#!\n"})
	for name, tt := range map[string]struct {
		repo   testrepo.Option
		prep   func(*enginetest.World) // before the turn
		do     func(*enginetest.World) // the turn
		hidden []string                // what git shows nobody, and nobody touches
	}{
		"edits, moves, deletions, new files": {do: func(w *enginetest.World) {
			w.Write("a.txt", "A\n")
			w.Remove("b.txt")
			w.Write("moved/b.txt", "b\n")
			w.Write("deep/in/new", "n\n")
		}},
		"modes and links": {do: func(w *enginetest.World) {
			w.Chmod("run.sh", 0o755)
			w.Symlink("nowhere", "dangling")
			w.Symlink("dir", "to-dir")
			w.Symlink("/etc/passwd", "out")
			w.Remove("a.txt")
			w.Symlink("b.txt", "a.txt")
		}},
		"a folder for a file, and a file for a folder": {do: func(w *enginetest.World) {
			w.Remove("a.txt")
			w.Write("a.txt/inner", "i\n")
			remove(w, "dir")
			w.Write("dir", "now a file\n")
		}},
		"a link for a folder": {do: func(w *enginetest.World) {
			remove(w, "dir")
			w.Write("elsewhere/c.txt", "other\n")
			w.Symlink("elsewhere", "dir")
		}},
		"a folder for a link": {prep: func(w *enginetest.World) {
			w.Symlink("dir", "link")
			w.Git("add", "link")
			w.Git("commit", "-q", "-m", "link")
		}, do: func(w *enginetest.World) {
			w.Remove("link")
			w.Write("link/x", "x\n")
		}},
		"names of any bytes": {do: func(w *enginetest.World) {
			for _, n := range []string{"new\nline", `"quoted"`, `back\slash`, "-dash", " lead", "trail ", "*glob?", "[x]", ":(top)x", "caf\xe9", "ü", "tab\there", "#hash", "!bang", "a.txt~", "~"} {
				w.Write("odd/"+n, n+"\n")
			}
		}},
		"only the case": {do: func(w *enginetest.World) {
			w.Remove("a.txt")
			w.Write("A.txt", "a\n")
			w.Write("DIR/c.txt", "C\n")
		}},
		"unborn": {repo: testrepo.Unborn(), do: func(w *enginetest.World) {
			w.Write("a.txt", "1\n")
			w.Write("x/y", "2\n")
		}},
		"staged, and changed after": {do: func(w *enginetest.World) {
			w.Write("a.txt", "staged\n")
			w.Write("n.txt", "staged\n")
			w.Git("add", "a.txt", "n.txt")
			w.Write("a.txt", "after\n")
			w.Remove("n.txt")
			w.Git("rm", "-q", "--cached", "b.txt")
			w.Git("mv", "dir/c.txt", "dir/e.txt")
		}},
		"intent to add": {do: func(w *enginetest.World) {
			w.Write("later.txt", "l\n")
			w.Write("never.txt", "l\n")
			w.Git("add", "-N", "later.txt", "never.txt")
			w.Remove("never.txt")
		}},
		"conflicts of a merge": {prep: func(w *enginetest.World) {
			w.Git("checkout", "-q", "-b", "side")
			w.Write("a.txt", "theirs\n")
			w.Remove("b.txt")
			w.Git("commit", "-q", "-am", "theirs")
			w.Git("checkout", "-q", "main")
			w.Write("a.txt", "ours\n")
			w.Write("b.txt", "ours\n")
			w.Git("commit", "-q", "-am", "ours")
			if _, err := w.TryGit("merge", "-q", "side"); err == nil {
				w.T.Fatal("no conflict")
			}
		}, do: func(w *enginetest.World) { w.Write("dir/c.txt", "in the merge\n") }},
		"split index": {prep: func(w *enginetest.World) { w.Git("update-index", "--split-index") }, do: func(w *enginetest.World) {
			w.Write("a.txt", "A\n")
			w.Git("add", "a.txt")
			w.Write("b.txt", "B\n")
		}},
		"untracked cache": {prep: func(w *enginetest.World) { w.Git("update-index", "--untracked-cache") }, do: func(w *enginetest.World) {
			w.Write("new/x", "x\n")
		}},
		"settings that hide things": {prep: func(w *enginetest.World) {
			for _, kv := range []string{"status.showUntrackedFiles=no", "status.renames=copies", "diff.renames=true", "status.relativePaths=false",
				"core.quotePath=true", "color.ui=always", "status.short=true", "diff.noprefix=true", "diff.ignoreSubmodules=all"} {
				k, v, _ := strings.Cut(kv, "=")
				w.Git("config", k, v)
			}
		}, do: func(w *enginetest.World) {
			w.Write("new/x", "x\n")
			w.Remove("b.txt")
			w.Write("b2.txt", "b\n")
		}},
		"sparse checkout": {prep: func(w *enginetest.World) { w.Git("sparse-checkout", "set", "--cone", "dir/sub") }, do: func(w *enginetest.World) {
			w.Write("dir/sub/d.txt", "D\n")
			w.Write("dir/sub/new", "n\n")
			w.Write("a.txt", "A\n")
		}},
		"skip-worktree, changed": {prep: func(w *enginetest.World) { w.Git("update-index", "--skip-worktree", "b.txt") }, hidden: []string{"b.txt"}, do: func(w *enginetest.World) {
			w.Write("b.txt", "hidden\n")
			w.Write("a.txt", "A\n")
		}},
		"assume-unchanged, changed": {prep: func(w *enginetest.World) { w.Git("update-index", "--assume-unchanged", "b.txt") }, hidden: []string{"b.txt"}, do: func(w *enginetest.World) {
			w.Write("b.txt", "hidden\n")
			w.Write("a.txt", "A\n")
		}},
		"autocrlf": {prep: func(w *enginetest.World) {
			w.Git("config", "core.autocrlf", "true")
			w.Git("rm", "-rq", ".")
			w.Git("reset", "-q", "--hard")
		}, do: func(w *enginetest.World) {
			w.Write("a.txt", "one\r\ntwo\r\n")
			w.Write("new.txt", "one\r\n")
			w.Write("bin", "\x00\r\n\n")
		}},
		"filters": {prep: func(w *enginetest.World) {
			w.Git("config", "filter.rot.clean", "tr a-z b-za")
			w.Git("config", "filter.rot.smudge", "tr b-za a-z")
			w.Write(".gitattributes", "*.rot filter=rot\n*.u16 text working-tree-encoding=UTF-16LE-BOM\n*.lf text eol=crlf\n")
			w.Git("add", ".gitattributes")
			w.Git("commit", "-q", "-m", "attributes")
		}, do: func(w *enginetest.World) {
			w.Write("x.rot", "secret\n")
			w.Write("x.u16", "\xff\xfea\x00\n\x00")
			w.Write("x.lf", "one\r\n")
		}},
		"ignored and tracked": {prep: func(w *enginetest.World) {
			w.Write(".gitignore", "*.log\nout/\n")
			w.Write("kept.log", "1\n")
			w.Write("out/tracked", "1\n")
			w.Git("add", "-f", ".")
			w.Git("commit", "-q", "-m", "ignored, and tracked")
		}, hidden: []string{"x.log", "out/y"}, do: func(w *enginetest.World) {
			w.Write("kept.log", "2\n")
			w.Write("out/tracked", "2\n")
			w.Write("x.log", "ignored\n")
			w.Write("out/y", "ignored\n")
		}},
		"no executable bits": {prep: func(w *enginetest.World) { w.Git("config", "core.fileMode", "false") }, do: func(w *enginetest.World) {
			w.Write("a.txt", "A\n")
			w.Write("new", "n\n")
		}},
		"SHA-256": {repo: testrepo.SHA256(), do: func(w *enginetest.World) {
			w.Write("a.txt", "A\n")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := []testrepo.Option{files}
			if tt.repo != nil {
				opts = append(opts, tt.repo)
			}
			w := enginetest.NewWorld(t, opts...)
			if tt.prep != nil {
				tt.prep(w)
			}
			w.Turn("s1", "one", func() { tt.do(w) })
			p := w.Points()[0].ID
			if got, want := w.TreeOf(p), w.WouldAdd(); got != want {
				t.Fatalf("the step holds\n%s\ngit would add\n%s", got, want)
			}
			stands := w.Snapshot()
			index := w.IndexBytes()
			w.Turn("s1", "two", func() { w.Spoil(stands, tt.hidden) })
			w.Rewind(p)
			if !slices.Equal(index, w.IndexBytes()) {
				t.Error("the index was written")
			}
			sameTree(t, w, stands)
		})
	}
}

// TestFileThatChangesWhileItIsRead is held as it was read, and the next step has
// what was written meanwhile.
func TestFileThatChangesWhileItIsRead(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Git("config", "filter.late.clean", "cat; test -e late || { touch late; echo more >>x.late; }")
	w.Write(".gitattributes", "*.late filter=late\n")
	w.Write(".gitignore", "late\n")
	w.Turn("s1", "one", func() { w.Write("x.late", "one\n") })
	if got := w.Held(w.Points()[0].ID, "x.late"); got != "one" && got != "one\nmore" {
		t.Errorf("held %q", got)
	}
	w.Turn("s1", "two", func() { w.Write("a.txt", "a\n") })
	if got := w.Held(w.Points()[0].ID, "x.late"); got != "one\nmore" {
		t.Errorf("the next step holds %q", got)
	}
}

func remove(w *enginetest.World, dir string) {
	if err := os.RemoveAll(w.Path(dir)); err != nil {
		w.T.Fatal(err)
	}
}

func sameTree(t *testing.T, w *enginetest.World, want testrepo.Tree) {
	t.Helper()
	got := w.Snapshot()
	bits := w.Git("config", "--default", "true", "core.fileMode") == "true" // else nobody says what the executable bit was
	for p, f := range want {
		g, ok := got[p]
		if !ok || g.Content != f.Content || g.Mode.Type() != f.Mode.Type() || bits && !f.Mode.IsDir() && g.Mode.Perm()&0o111 != f.Mode.Perm()&0o111 {
			t.Errorf("%q: have %v %.40q, want %v %.40q", p, g.Mode, g.Content, f.Mode, f.Content)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			t.Errorf("%q should not be there", p)
		}
	}
}
