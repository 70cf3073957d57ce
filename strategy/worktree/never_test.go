package worktree_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// TestRewindNeverWritesWhatNoTreeMayHold tries names that lead out of the
// worktree or into git's folder.
func TestRewindNeverWritesWhatNoTreeMayHold(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, below string }{
		{".git", "config"}, {".GIT", "config"}, {".Git", "hooks"}, {"git~1", "config"}, {"GIT~1", "config"}, {".git.", "config"}, {".git ", "config"},
		{".git . .", "config"}, {".git::$INDEX_ALLOCATION", "config"}, {".git:x", "config"}, {".g\u200cit", "config"}, {"\ufeff.git", "config"}, {".gi\u202et", "config"},
		{".git\u206f", "config"}, {`.git\hooks`, "x"}, {`a\..\.git`, "x"}, {"..", "escaped"}, {".", "a.txt"}, {"../escaped", ""}, {"x/../../escaped", ""}, {".git/hooks/post-checkout", ""},
		{"/escaped", ""}, {"a.txt/..", "x"}, {"", "x"}, {"sub", ".git"}, {"sub", ".GIT"}, {"sub", ".."},
	} {
		t.Run(row.name+"|"+row.below, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles())
			w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
			id := w.HostileStep(map[string]string{row.name: row.below, "good.txt": ""})
			w.Turn("s1", "second", func() { w.Write("a.txt", "second\n") })
			git := gitFiles(t, w)
			outside := enginetest.ListFiles(t, filepath.Dir(w.Dir))
			e := w.Engine()
			p, err := step.FindPoint(w.Ctx, e, id)
			if err == nil {
				var plan *rewind.Plan
				if plan, err = rewind.PlanRewind(w.Ctx, e, p, condense.Scope{}); err == nil {
					_, err = rewind.Rewind(w.Ctx, e, plan)
				}
			}
			if err == nil && w.Read("good.txt") != "hostile\n" {
				t.Error("the rest was not written")
			}
			if err != nil {
				t.Logf("refused: %v", err)
			}
			for name, was := range git {
				if now := gitFiles(t, w)[name]; now != was {
					t.Errorf("git's %s changed", name)
				}
			}
			for _, f := range enginetest.ListFiles(t, filepath.Dir(w.Dir)) {
				if !slices.Contains(outside, f) && !strings.HasPrefix(f, filepath.Base(w.Dir)+"/") {
					t.Errorf("%s was written", f)
				}
			}
			for p := range w.Snapshot() {
				if p != "a.txt" && p != "good.txt" && !slices.Contains([]string{"b.txt", "README.md", "dir", "dir/c.txt"}, p) && strings.Contains(strings.ToLower(p), "git") {
					t.Errorf("%q was written", p)
				}
			}
			if sessionstate.PathExists(condense.JournalPath(e)) || sessionstate.PathExists(restore.StageRoot(e)) {
				t.Error("something of the rewind is left")
			}
		})
	}
}

// gitFiles are the files of git's that decide what runs and what is checked out.
func gitFiles(t *testing.T, w *enginetest.World) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, f := range []string{"config", "HEAD", "index", "hooks/post-checkout", "hooks/x", "x"} {
		data, _ := os.ReadFile(filepath.Join(w.Dir, ".git", f))
		out[f] = string(data)
	}
	return out
}

// TestRewindNeverTouchesIgnoredFiles whichever state ignores them.
func TestRewindNeverTouchesIgnoredFiles(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ first, second func(*enginetest.World) }{
		"by both": {
			func(w *enginetest.World) { w.Write(".gitignore", "*.env\n") },
			func(w *enginetest.World) { w.Write("secret.env", "mine\n") },
		},
		"by the state gone back to": {
			func(w *enginetest.World) { w.Write(".gitignore", "*.env\n") },
			func(w *enginetest.World) { w.Write(".gitignore", ""); w.Write("secret.env", "mine\n") },
		},
		"by the present": {
			func(w *enginetest.World) { w.Write("secret.env", "of then\n") },
			func(w *enginetest.World) { w.Write(".gitignore", "*.env\n"); w.Write("secret.env", "mine\n") },
		},
		"by a folder's own rules": {
			func(w *enginetest.World) { w.Write("sub/.gitignore", "*.env\n") },
			func(w *enginetest.World) { w.Remove("sub/.gitignore"); w.Write("sub/deep/secret.env", "mine\n") },
		},
		"by the repository's own exclude": {
			func(w *enginetest.World) {
				enginetest.Ok(w.T, os.WriteFile(w.GitPath("info/exclude"), []byte("*.env\n"), 0o600))
			},
			func(w *enginetest.World) { w.Write("secret.env", "mine\n") },
		},
		"as a folder": {
			func(w *enginetest.World) { w.Write(".gitignore", "build/\n") },
			func(w *enginetest.World) {
				w.Write(".gitignore", "")
				w.Write("build/a/b.env", "mine\n")
				w.Write("secret.env", "mine\n")
				w.Write(".gitignore", "secret.env\n")
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles())
			w.Turn("s1", "first", func() { w.Write("a.txt", "first\n"); row.first(w) })
			w.Turn("s1", "second", func() { w.Write("a.txt", "second\n"); row.second(w) })
			before := w.Snapshot()
			w.Rewind(w.Points()[1].ID)
			if w.Read("a.txt") != "first\n" {
				t.Error("not rewound")
			}
			for p, f := range before {
				if filepath.Ext(p) != ".env" {
					continue
				}
				if now := w.Snapshot()[p]; now != f {
					t.Errorf("%s is %+v, was %+v", p, now, f)
				}
			}
		})
	}
}

// TestRewindNeverTouchesOtherRepositories: nested ones, other worktrees,
// submodules, which came to be where the state gone back to has files.
func TestRewindNeverTouchesOtherRepositories(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(*enginetest.World){
		"nested":   func(w *enginetest.World) { w.Git("init", "-q", "place") },
		"worktree": func(w *enginetest.World) { w.Git("worktree", "add", "-q", "--detach", "place") },
		"submodule": func(w *enginetest.World) {
			w.Git("init", "-q", "../lib")
			w.Git("-C", "../lib", "commit", "-q", "--allow-empty", "-m", "lib")
			w.Git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "../lib", "place")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles())
			w.Turn("s1", "first", func() {
				w.Write("a.txt", "first\n")
				w.Write("place/f", "of then\n")
				w.Write("place/a.txt", "of then\n")
			})
			w.Turn("s1", "second", func() { w.Write("a.txt", "second\n"); w.Remove("place") })
			begin(w)
			w.Write("place/f", "the other's\n")
			w.Write("place/mine", "the other's\n")
			before := w.Snapshot()
			w.Rewind(w.Points()[1].ID)
			if w.Read("a.txt") != "first\n" {
				t.Error("not rewound")
			}
			for p, f := range before {
				if strings.HasPrefix(p, "place/") && !f.Mode.IsDir() && w.Snapshot()[p] != f {
					t.Errorf("%s changed", p)
				}
			}
		})
	}
}

// TestRewindNeverWritesThroughALink that stands where a folder was.
func TestRewindNeverWritesThroughALink(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for name, target := range map[string]string{"out": outside, "to git's folder": ".git/hooks", "inside": "other"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles())
			w.Turn("s1", "first", func() { w.Write("d/f", "first\n"); w.Write("other/f", "other\n"); w.Write("a.txt", "first\n") })
			w.Turn("s1", "second", func() { w.Write("d/f", "second\n"); w.Write("a.txt", "second\n") })
			w.Remove("d")
			w.Write(".git/info/exclude", "d\n") // so that no plan replaces the link
			w.Symlink(target, "d")
			w.Rewind(w.Points()[1].ID)
			if link, err := os.Readlink(w.Path("d")); err != nil || link != target {
				t.Errorf("the link is %q, %v", link, err)
			}
			for _, p := range []string{filepath.Join(outside, "f"), w.GitPath("hooks/f")} {
				if sessionstate.PathExists(p) {
					t.Errorf("%s was written", p)
				}
			}
			if w.Read("other/f") != "other\n" || w.Read("a.txt") != "first\n" {
				t.Errorf("other %q, a.txt %q", w.Read("other/f"), w.Read("a.txt"))
			}
		})
	}
}

// TestRewindKeepsOutNamesNoFileCanHaveHere: the rest is rewound.
func TestRewindKeepsOutNamesNoFileCanHaveHere(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 300)
	for _, entries := range []map[string]string{{long: ""}, {long: "x"}, {"sub": long}} {
		w := enginetest.NewWorld(t, enginetest.SourceFiles())
		w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
		entries["good.txt"] = ""
		id := w.HostileStep(entries)
		w.Turn("s1", "second", func() { w.Write("a.txt", "second\n") })
		out := w.Rewind(id)
		if w.Read("good.txt") != "hostile\n" || w.Read("a.txt") != "first\n" {
			t.Errorf("the rest was not rewound: %+v", out)
		}
		if len(out.Kept) != 1 || !strings.Contains(out.Kept[0].Path, long) {
			t.Errorf("kept: %+v", out.Kept)
		}
	}
}

// TestRewindWhereTheSettingsAreAFolder: no hooks are in a folder, nor in a link that
// leads to itself.
func TestRewindWhereTheSettingsAreAFolder(t *testing.T) {
	t.Parallel()
	settings := ".gemini/settings.json"
	for name, put := range map[string]func(w *enginetest.World){
		"folder": func(w *enginetest.World) { w.Write(settings+"/x", "") },
		"loop":   func(w *enginetest.World) { w.Symlink("settings.json", settings) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles())
			w.Turn("s1", "first", func() { w.Write(settings, "{}\n") })
			w.Turn("s1", "second", func() {
				w.Remove(settings)
				put(w)
			})
			out := w.Rewind(w.Points()[1].ID)
			if got := w.Read(settings); got != "{}\n" || len(out.Kept) > 0 {
				t.Errorf("%q; kept %+v", got, out.Kept)
			}
		})
	}
}
