package worktree_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/internal/testrepo"
	"entire/strategy/condense"
	"entire/strategy/engine"
	"entire/strategy/internal/enginetest"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

func keptWhy(kept []sessionstate.KeptFile, path string) string {
	for _, k := range kept {
		if k.Path == path {
			return k.Why
		}
	}
	return ""
}

func TestCapOfOneFile(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"tracked.bin": "small\n", "same.bin": strings.Repeat("s", 3000)}))
	w.Tune = func(o *sessionstate.Options) { o.CaptureLimit = 1000 }
	large := strings.Repeat("x", 2000)
	w.Turn("s1", "one", func() {
		w.Write("new.bin", large)
		w.Write("tracked.bin", large)
		w.Write("staged.bin", large+"y")
		w.Git("add", "staged.bin")
		w.Write("a.txt", "a\n")
	})
	p := w.Points()[0].ID
	if got := w.Gaps(p); len(got) != 2 || got["new.bin"] != worktree.GapLarge || got["tracked.bin"] != worktree.GapLarge {
		t.Errorf("gaps %v", got)
	}
	if w.Held(p, "staged.bin") != large+"y" { // git has it stored already
		t.Error("a staged file was left out")
	}
	if w.Held(p, "same.bin") == "" || w.Held(p, "a.txt") != "a" || w.Held(p, "new.bin") != "" {
		t.Error("wrong files in the step")
	}
}

// TestCapOfACheckpoint leaves out the largest of the untracked files first.
func TestCapOfACheckpoint(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"src.go": "x\n"}))
	w.Tune = func(o *sessionstate.Options) { o.CheckpointLimit = 1000 }
	w.Turn("s1", "one", func() {
		w.Write("src.go", strings.Repeat("s", 600))
		w.Write("data/1", strings.Repeat("1", 300))
		w.Write("data/2", strings.Repeat("2", 200))
		w.Write("data/3", strings.Repeat("3", 100))
	})
	p := w.Points()[0].ID
	if got := w.Gaps(p); len(got) != 1 || got["data/1"] != worktree.GapFull {
		t.Errorf("gaps %v", got)
	}
	w.Turn("s1", "two", func() { w.Write("src.go", strings.Repeat("t", 950)) })
	p = w.Points()[0].ID
	if got := w.Gaps(p); len(got) != 3 || w.Held(p, "src.go") == "" {
		t.Errorf("gaps %v", got)
	}
	w.Turn("s1", "three", func() { w.Write("src.go", "x\n") })
	if got := w.Gaps(w.Points()[0].ID); len(got) != 0 {
		t.Errorf("gaps %v", got)
	}
}

// TestNothingUncapturedIsTouched goes back over moments in which files were too
// large, or in a repository of their own.
func TestNothingUncapturedIsTouched(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"tracked.bin": "small\n", "a.txt": "a\n"}))
	limit := int64(1000)
	w.Tune = func(o *sessionstate.Options) { o.CaptureLimit = limit }
	large := strings.Repeat("x", 2000)
	w.Turn("s1", "one", func() {
		w.Write("shrinks.bin", large)
		w.Write("tracked.bin", large)
		w.Write("grows.bin", "little\n")
		w.Write("a.txt", "one\n")
		w.Write("vendor/lib/file", "theirs\n")
		w.Git("init", "-q", "vendor/lib")
	})
	w.Turn("s1", "two", func() {
		w.Write("shrinks.bin", "now small\n")
		w.Write("tracked.bin", "now small, too\n")
		w.Write("grows.bin", large)
		w.Write("a.txt", "two\n")
		if err := os.RemoveAll(w.Path("vendor/lib/.git")); err != nil {
			t.Fatal(err)
		}
	})
	first := w.Points()[1].ID
	_, plan := w.Plan(first)
	gaps := map[string]worktree.Gap{}
	for _, u := range plan.Uncaptured {
		gaps[u.Path] = u.Gap
	}
	if gaps["shrinks.bin"] != worktree.GapLarge || gaps["grows.bin"] != worktree.GapLarge || gaps["vendor/lib"] != worktree.GapNested {
		t.Errorf("plan names %v", plan.Uncaptured)
	}
	out := w.Rewind(first)
	for _, p := range []string{"shrinks.bin", "tracked.bin", "grows.bin", "vendor/lib/file"} {
		if keptWhy(out.Kept, p) == "" {
			t.Errorf("%s is not named: %v", p, out.Kept)
		}
	}
	for p, want := range map[string]string{"shrinks.bin": "now small\n", "tracked.bin": "now small, too\n", "grows.bin": large, "a.txt": "one\n", "vendor/lib/file": "theirs\n"} {
		if got := w.Read(p); got != want {
			t.Errorf("%s: %.30q, want %.30q", p, got, want)
		}
	}
	limit = 1 << 20 // the setting changes: what the point held comes back
	w.Rewind(first)
	if got := w.Read("grows.bin"); got != "little\n" {
		t.Errorf("grows.bin: %.30q", got)
	}
}

func TestLongListOfGaps(t *testing.T) {
	t.Parallel()
	var list []worktree.Uncaptured
	for i := range worktree.GapsMax + 5 {
		list = append(list, worktree.Uncaptured{Path: fmt.Sprintf("f%05d\xff", i), Gap: worktree.GapFull, Why: "no room"})
	}
	list = append(list, worktree.Uncaptured{Path: "empty", Gap: worktree.GapEmpty, Why: "empty folder"})
	got, more, err := worktree.ParseGaps(worktree.EncodeGaps(list))
	if err != nil || len(got) != worktree.GapsMax || more != 6 || got[7].Path != "f00007\xff" {
		t.Errorf("%d and %d more, %v", len(got), more, err)
	}
	if data := worktree.EncodeGaps(nil); data != nil {
		t.Errorf("%q for nothing", data)
	}
}

func FuzzParseGaps(f *testing.F) {
	f.Add(worktree.EncodeGaps([]worktree.Uncaptured{{Path: "a", Gap: worktree.GapLarge, Why: "x"}, {Path: "b\xff", Gap: worktree.GapMode, Why: "y", Mode: "0600"}}))
	f.Add([]byte("{\"version\":1,\"more\":-4}\n{\"path\":\"\"}\nnull\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, more, err := worktree.ParseGaps(data)
		if err != nil {
			return
		}
		if more < 0 || len(list) > worktree.GapsMax {
			t.Fatalf("%d entries and %d more", len(list), more)
		}
		for _, u := range list {
			worktree.NewGaps(list, more).Covering(u.Path)
		}
	})
}

func TestEmptyFolders(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"dir/only": "x\n", "a.txt": "a\n"}))
	w.Turn("s1", "one", func() {
		for _, d := range []string{"logs", "dir/empty"} {
			if err := os.MkdirAll(w.Path(d), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		w.Write("dir/only", "y\n")
	})
	p := w.Points()[0].ID
	if got := w.Gaps(p); len(got) != 2 || got["logs"] != worktree.GapEmpty || got["dir/empty"] != worktree.GapEmpty {
		t.Errorf("gaps %v", got)
	}
	w.Turn("s1", "two", func() {
		w.Write("logs/today", "x\n")
		w.Write("fresh/file", "x\n")
		w.Write("dir/empty/file", "x\n")
	})
	w.Rewind(p)
	if w.Exists("logs/today") || w.Exists("dir/empty/file") || w.Exists("fresh") {
		t.Error("something is left")
	}
	for _, d := range []string{"logs", "dir/empty"} {
		if !w.Exists(d) {
			t.Errorf("%s was empty before, and is gone", d)
		}
	}
}

func TestIncludeIgnored(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{".gitignore": ".env*\nbuild/\n", "a.txt": "a\n"}))
	w.Tune = func(o *sessionstate.Options) { o.IncludeIgnored = []string{".env.local", "!sub/.env.local"} }
	w.Write(".env.local", "KEY=1\n")
	w.Write(".env.other", "KEY=1\n")
	w.Write("sub/.env.local", "KEY=1\n")
	w.Write("build/.env.local", "KEY=1\n")
	w.Turn("s1", "one", func() { w.Write("a.txt", "one\n") })
	p := w.Points()[0].ID
	if w.Held(p, ".env.local") != "KEY=1" || w.Held(p, "build/.env.local") != "KEY=1" || w.Held(p, ".env.other") != "" || w.Held(p, "sub/.env.local") != "" {
		t.Error("wrong files in the step")
	}
	w.Turn("s1", "two", func() {
		w.Write(".env.local", "KEY=2\n")
		w.Remove("build/.env.local")
		w.Write("new/.env.local", "KEY=3\n")
		w.Write("a.txt", "two\n")
	})
	if got := w.State("s1").FilesTouched; !slices.Equal(got, []string{"a.txt"}) {
		t.Errorf("the session waits for a commit of %v", got)
	}
	second := w.Points()[0].ID
	w.Rewind(p)
	if w.Read(".env.local") != "KEY=1\n" || w.Read("build/.env.local") != "KEY=1\n" || w.Exists("new") || w.Read(".env.other") != "KEY=1\n" {
		t.Error("not gone back to")
	}
	if got := w.State("s1").FilesTouched; !slices.Equal(got, []string{"a.txt"}) {
		t.Errorf("after the rewind the session waits for a commit of %v", got)
	}
	w.Rewind(second)
	if w.Read(".env.local") != "KEY=2\n" || w.Exists("build/.env.local") || w.Read("new/.env.local") != "KEY=3\n" {
		t.Error("not gone forward to")
	}
	w.Git("commit", "-q", "-am", "all")
	if err := engine.PostCommit(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	w.Turn("s1", "three", func() { w.Write("b.txt", "b\n") })
	if got := w.State("s1").FilesTouched; !slices.Equal(got, []string{"b.txt"}) {
		t.Errorf("after the commit the session waits for one of %v", got)
	}
}

// TestIncludeIgnoredLater goes back to a point that was made before the setting.
func TestIncludeIgnoredLater(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{".gitignore": ".env\n", "a.txt": "a\n"}))
	w.Write(".env", "KEY=1\n")
	w.Turn("s1", "one", func() { w.Write("a.txt", "one\n") })
	w.Tune = func(o *sessionstate.Options) { o.IncludeIgnored = []string{".env"} }
	w.Turn("s1", "two", func() { w.Write("a.txt", "two\n") })
	out := w.Rewind(w.Points()[1].ID)
	if !w.Exists(".env") || keptWhy(out.Kept, ".env") == "" {
		t.Errorf("an ignored file that the point could not know of was removed: %v", out.Kept)
	}
	w.Tune = nil
	w.Write(".env", "KEY=2\n")
	out = w.Rewind(out.SafetyID)
	if w.Read(".env") != "KEY=2\n" || keptWhy(out.Kept, ".env") == "" {
		t.Errorf("an ignored file that no step holds was replaced: %v", out.Kept)
	}
}

func TestSubmodulePathsAreNamed(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n"}))
	w.Submodule("sub mod")
	w.Turn("s1", "one", func() { w.Write("a.txt", "one\n") })
	_, plan := w.Plan(w.Points()[0].ID)
	if len(plan.Uncaptured) != 1 || plan.Uncaptured[0].Path != "sub mod" || plan.Uncaptured[0].Gap != worktree.GapSubmodule {
		t.Errorf("%v", plan.Uncaptured)
	}
}

// TestDamagedListOfGaps: a damaged list stops the rewind, which could else
// remove what it names.
func TestDamagedListOfGaps(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Tune = func(o *sessionstate.Options) { o.CaptureLimit = 10 }
	w.Turn("s1", "one", func() { w.Write("big", strings.Repeat("x", 20)); w.Write("a.txt", "a\n") })
	blob := w.GitInput("garbage", "hash-object", "-w", "--stdin")
	index := filepath.Join(t.TempDir(), "index")
	p := w.Points()[0].ID
	env := w.Repo.In(".")
	env.Setenv("GIT_INDEX_FILE", index)
	env.Git("read-tree", p)
	env.Git("update-index", "--add", "--cacheinfo", "100644,"+blob+","+worktree.GapsPath)
	tree := env.Git("write-tree")
	env.Unsetenv("GIT_INDEX_FILE")
	bad := w.GitInput(shadow.StepMessage(shadow.Step{Kind: shadow.StepLabel, Subject: "x", Base: git.MustOID(w.Head())}), "commit-tree", tree)
	e := w.Engine()
	point, err := step.FindPoint(w.Ctx, e, bad)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rewind.PlanRewind(w.Ctx, e, point, condense.Scope{}); err == nil {
		t.Error("planned all the same")
	}
}
