package strategy

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

// TestCoverage: what git would add is what a step holds, and what a rewind brings
// back after everything was changed again.
func TestCoverage(t *testing.T) {
	t.Parallel()
	files := testrepo.Files(map[string]string{"a.txt": "a\n", "b.txt": "b\n", "dir/c.txt": "c\n", "dir/sub/d.txt": "d\n", "run.sh": "#!\n"})
	for name, tt := range map[string]struct {
		repo   testrepo.Option
		prep   func(*world) // before the turn
		do     func(*world) // the turn
		hidden []string     // what git shows nobody, and nobody touches
	}{
		"edits, moves, deletions, new files": {do: func(w *world) {
			w.Write("a.txt", "A\n")
			w.Remove("b.txt")
			w.Write("moved/b.txt", "b\n")
			w.Write("deep/in/new", "n\n")
		}},
		"modes and links": {do: func(w *world) {
			w.Chmod("run.sh", 0o755)
			w.Symlink("nowhere", "dangling")
			w.Symlink("dir", "to-dir")
			w.Symlink("/etc/passwd", "out")
			w.Remove("a.txt")
			w.Symlink("b.txt", "a.txt")
		}},
		"a folder for a file, and a file for a folder": {do: func(w *world) {
			w.Remove("a.txt")
			w.Write("a.txt/inner", "i\n")
			remove(w, "dir")
			w.Write("dir", "now a file\n")
		}},
		"a link for a folder": {do: func(w *world) {
			remove(w, "dir")
			w.Write("elsewhere/c.txt", "other\n")
			w.Symlink("elsewhere", "dir")
		}},
		"a folder for a link": {prep: func(w *world) {
			w.Symlink("dir", "link")
			w.Git("add", "link")
			w.Git("commit", "-q", "-m", "link")
		}, do: func(w *world) {
			w.Remove("link")
			w.Write("link/x", "x\n")
		}},
		"names of any bytes": {do: func(w *world) {
			for _, n := range []string{"new\nline", `"quoted"`, `back\slash`, "-dash", " lead", "trail ", "*glob?", "[x]", ":(top)x", "caf\xe9", "ü", "tab\there", "#hash", "!bang", "a.txt~", "~"} {
				w.Write("odd/"+n, n+"\n")
			}
		}},
		"only the case": {do: func(w *world) {
			w.Remove("a.txt")
			w.Write("A.txt", "a\n")
			w.Write("DIR/c.txt", "C\n")
		}},
		"unborn": {repo: testrepo.Unborn(), do: func(w *world) {
			w.Write("a.txt", "1\n")
			w.Write("x/y", "2\n")
		}},
		"staged, and changed after": {do: func(w *world) {
			w.Write("a.txt", "staged\n")
			w.Write("n.txt", "staged\n")
			w.Git("add", "a.txt", "n.txt")
			w.Write("a.txt", "after\n")
			w.Remove("n.txt")
			w.Git("rm", "-q", "--cached", "b.txt")
			w.Git("mv", "dir/c.txt", "dir/e.txt")
		}},
		"intent to add": {do: func(w *world) {
			w.Write("later.txt", "l\n")
			w.Write("never.txt", "l\n")
			w.Git("add", "-N", "later.txt", "never.txt")
			w.Remove("never.txt")
		}},
		"conflicts of a merge": {prep: func(w *world) {
			w.Git("checkout", "-q", "-b", "side")
			w.Write("a.txt", "theirs\n")
			w.Remove("b.txt")
			w.Git("commit", "-q", "-am", "theirs")
			w.Git("checkout", "-q", "main")
			w.Write("a.txt", "ours\n")
			w.Write("b.txt", "ours\n")
			w.Git("commit", "-q", "-am", "ours")
			if _, err := w.TryGit("merge", "-q", "side"); err == nil {
				w.t.Fatal("no conflict")
			}
		}, do: func(w *world) { w.Write("dir/c.txt", "in the merge\n") }},
		"split index": {prep: func(w *world) { w.Git("update-index", "--split-index") }, do: func(w *world) {
			w.Write("a.txt", "A\n")
			w.Git("add", "a.txt")
			w.Write("b.txt", "B\n")
		}},
		"untracked cache": {prep: func(w *world) { w.Git("update-index", "--untracked-cache") }, do: func(w *world) {
			w.Write("new/x", "x\n")
		}},
		"settings that hide things": {prep: func(w *world) {
			for _, kv := range []string{"status.showUntrackedFiles=no", "status.renames=copies", "diff.renames=true", "status.relativePaths=false",
				"core.quotePath=true", "color.ui=always", "status.short=true", "diff.noprefix=true", "diff.ignoreSubmodules=all"} {
				k, v, _ := strings.Cut(kv, "=")
				w.Git("config", k, v)
			}
		}, do: func(w *world) {
			w.Write("new/x", "x\n")
			w.Remove("b.txt")
			w.Write("b2.txt", "b\n")
		}},
		"sparse checkout": {prep: func(w *world) { w.Git("sparse-checkout", "set", "--cone", "dir/sub") }, do: func(w *world) {
			w.Write("dir/sub/d.txt", "D\n")
			w.Write("dir/sub/new", "n\n")
			w.Write("a.txt", "A\n")
		}},
		"skip-worktree, changed": {prep: func(w *world) { w.Git("update-index", "--skip-worktree", "b.txt") }, hidden: []string{"b.txt"}, do: func(w *world) {
			w.Write("b.txt", "hidden\n")
			w.Write("a.txt", "A\n")
		}},
		"assume-unchanged, changed": {prep: func(w *world) { w.Git("update-index", "--assume-unchanged", "b.txt") }, hidden: []string{"b.txt"}, do: func(w *world) {
			w.Write("b.txt", "hidden\n")
			w.Write("a.txt", "A\n")
		}},
		"autocrlf": {prep: func(w *world) {
			w.Git("config", "core.autocrlf", "true")
			w.Git("rm", "-rq", ".")
			w.Git("reset", "-q", "--hard")
		}, do: func(w *world) {
			w.Write("a.txt", "one\r\ntwo\r\n")
			w.Write("new.txt", "one\r\n")
			w.Write("bin", "\x00\r\n\n")
		}},
		"filters": {prep: func(w *world) {
			w.Git("config", "filter.rot.clean", "tr a-z b-za")
			w.Git("config", "filter.rot.smudge", "tr b-za a-z")
			w.Write(".gitattributes", "*.rot filter=rot\n*.u16 text working-tree-encoding=UTF-16LE-BOM\n*.lf text eol=crlf\n")
			w.Git("add", ".gitattributes")
			w.Git("commit", "-q", "-m", "attributes")
		}, do: func(w *world) {
			w.Write("x.rot", "secret\n")
			w.Write("x.u16", "\xff\xfea\x00\n\x00")
			w.Write("x.lf", "one\r\n")
		}},
		"ignored and tracked": {prep: func(w *world) {
			w.Write(".gitignore", "*.log\nout/\n")
			w.Write("kept.log", "1\n")
			w.Write("out/tracked", "1\n")
			w.Git("add", "-f", ".")
			w.Git("commit", "-q", "-m", "ignored, and tracked")
		}, hidden: []string{"x.log", "out/y"}, do: func(w *world) {
			w.Write("kept.log", "2\n")
			w.Write("out/tracked", "2\n")
			w.Write("x.log", "ignored\n")
			w.Write("out/y", "ignored\n")
		}},
		"no executable bits": {prep: func(w *world) { w.Git("config", "core.fileMode", "false") }, do: func(w *world) {
			w.Write("a.txt", "A\n")
			w.Write("new", "n\n")
		}},
		"SHA-256": {repo: testrepo.SHA256(), do: func(w *world) {
			w.Write("a.txt", "A\n")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := []testrepo.Option{files}
			if tt.repo != nil {
				opts = append(opts, tt.repo)
			}
			w := newWorld(t, opts...)
			if tt.prep != nil {
				tt.prep(w)
			}
			w.turn("s1", "one", func() { tt.do(w) })
			p := w.points()[0].ID
			if got, want := w.treeOf(p), w.wouldAdd(); got != want {
				t.Fatalf("the step holds\n%s\ngit would add\n%s", got, want)
			}
			stands := w.Snapshot()
			index := w.IndexBytes()
			w.turn("s1", "two", func() { w.spoil(stands, tt.hidden) })
			w.rewind(p)
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
	w := newWorld(t)
	w.Git("config", "filter.late.clean", "cat; test -e late || { touch late; echo more >>x.late; }")
	w.Write(".gitattributes", "*.late filter=late\n")
	w.Write(".gitignore", "late\n")
	w.turn("s1", "one", func() { w.Write("x.late", "one\n") })
	if got := w.held(w.points()[0].ID, "x.late"); got != "one" && got != "one\nmore" {
		t.Errorf("held %q", got)
	}
	w.turn("s1", "two", func() { w.Write("a.txt", "a\n") })
	if got := w.held(w.points()[0].ID, "x.late"); got != "one\nmore" {
		t.Errorf("the next step holds %q", got)
	}
}

func remove(w *world, dir string) {
	if err := os.RemoveAll(w.Path(dir)); err != nil {
		w.t.Fatal(err)
	}
}

// treeOf lists a commit's files, without ours.
func (w *world) treeOf(commit string) string {
	w.t.Helper()
	var out []string
	for line := range strings.SplitSeq(w.Git("ls-tree", "-r", "-z", commit), "\x00") {
		if _, path, _ := strings.Cut(line, "\t"); path != "" && !ownPath(path) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// wouldAdd lists what `git add --all` makes of the worktree, in an index of its own.
func (w *world) wouldAdd() string {
	w.t.Helper()
	index := filepath.Join(w.t.TempDir(), "index")
	env := w.Repo.In(".")
	for _, shared := range []string{"", "sharedindex.*"} { // a split index has its other part beside it
		names := []string{w.GitPath("index")}
		if shared != "" {
			names, _ = filepath.Glob(w.GitPath(shared))
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if os.IsNotExist(err) {
				continue
			}
			if err != nil {
				w.t.Fatal(err)
			}
			to := index
			if shared != "" {
				to = filepath.Join(filepath.Dir(index), filepath.Base(name))
			}
			if err := os.WriteFile(to, data, 0o600); err != nil {
				w.t.Fatal(err)
			}
			// As old as the index itself, or git would trust the stat data of a file
			// that was changed at the moment when the index was written.
			if fi, err := os.Stat(name); err != nil || os.Chtimes(to, fi.ModTime(), fi.ModTime()) != nil {
				w.t.Fatal(err)
			}
		}
	}
	env.Setenv("GIT_INDEX_FILE", index)
	defer env.Unsetenv("GIT_INDEX_FILE")
	env.Git("-c", "core.safecrlf=false", "add", "--all", ".")
	return w.treeOf(env.Git("write-tree"))
}

// spoil changes everything that stands, and adds to it.
func (w *world) spoil(stands testrepo.Tree, hidden []string) {
	w.t.Helper()
	for i, path := range slices.Sorted(maps.Keys(stands)) {
		f := stands[path]
		if slices.Contains(hidden, path) || strings.HasPrefix(path, ".git") || f.Mode.IsDir() {
			continue
		}
		w.Remove(path)
		switch {
		case i%3 == 0:
		case f.Mode&os.ModeSymlink != 0:
			w.Write(path, "no link any more\n")
		default:
			w.Write(path, f.Content+"spoiled")
			w.Chmod(path, 0o755)
		}
	}
	w.Write("spoiled/new", "n\n")
}

func sameTree(t *testing.T, w *world, want testrepo.Tree) {
	t.Helper()
	got := w.Snapshot()
	for p, f := range want {
		g, ok := got[p]
		if !ok || g.Content != f.Content || g.Mode.Type() != f.Mode.Type() || !f.Mode.IsDir() && g.Mode.Perm()&0o111 != f.Mode.Perm()&0o111 {
			t.Errorf("%q: have %v %.40q, want %v %.40q", p, g.Mode, g.Content, f.Mode, f.Content)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			t.Errorf("%q should not be there", p)
		}
	}
}
