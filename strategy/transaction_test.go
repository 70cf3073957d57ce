package strategy

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"entire/internal/git"
	"entire/internal/testrepo"
)

// begun is a world with two turns and the rewind to the first begun: its journal
// is written, no file touched.
func begun(t *testing.T, opts ...testrepo.Option) (*world, *ManualCommitStrategy, *journal) {
	t.Helper()
	w := twoTurns(t, opts...)
	e, plan := w.plan(w.points()[1].ID)
	j, err := e.openRewind(w.ctx, plan, plan.now)
	if err != nil {
		t.Fatal(err)
	}
	return w, e, j
}

func twoTurns(t *testing.T, opts ...testrepo.Option) *world {
	t.Helper()
	w := newWorld(t, append(opts, testrepo.Files(map[string]string{"a.txt": "a\n", "dir/one": "1\n", "dir/two": "2\n", "other/x": "x\n"}))...)
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write("deep/er/new", "new\n") })
	w.turn("s1", "second", func() {
		w.Write("a.txt", "second\n")
		w.Remove("deep")
		w.Write("dir/one", "second\n")
		w.Write("later/file", "later\n")
	})
	return w
}

// sameWorld compares everything, times too.
func sameWorld(t *testing.T, w *world, want testrepo.Tree) {
	t.Helper()
	now := w.Snapshot()
	for p, f := range want {
		if got := now[p]; got.Content != f.Content || got.Mode != f.Mode || !f.Mode.IsDir() && !got.ModTime.Equal(f.ModTime) {
			t.Errorf("%s is %+v, was %+v", p, got, f)
		}
	}
	for p := range now {
		if _, ok := want[p]; !ok {
			t.Errorf("%s is new", p)
		}
	}
}

func (w *world) clean() {
	w.t.Helper()
	e := w.engine()
	if exists(e.journalPath()) || exists(e.stageRoot()) || exists(e.treeStageRoot()) {
		w.t.Error("something of the rewind is left")
	}
	if lines, err := e.Recover(w.ctx); err != nil || len(lines) > 0 {
		w.t.Errorf("a rewind is still under way: %v, %v", lines, err)
	}
}

// TestRewindIsRolledBack: what goes wrong after the first file was placed leaves
// everything as it was before.
func TestRewindIsRolledBack(t *testing.T) {
	t.Parallel()
	for name, hinder := range map[string]func(*world, *ManualCommitStrategy, *journal){
		"a folder in the way": func(w *world, _ *ManualCommitStrategy, _ *journal) { w.Write("deep/er/new/x", "somebody's\n") },
		"a file in the way":   func(w *world, _ *ManualCommitStrategy, _ *journal) { w.Write("deep", "somebody's\n") },
		"a link in the way":   func(w *world, _ *ManualCommitStrategy, _ *journal) { w.Symlink("/tmp", "deep") },
		"a link swapped in": func(w *world, _ *ManualCommitStrategy, _ *journal) {
			ok(w.t, os.Rename(w.Path("dir"), w.Path("moved")))
			w.Symlink(w.t.TempDir(), "dir")
		},
		"a file written meanwhile": func(w *world, _ *ManualCommitStrategy, _ *journal) { w.Write("dir/one", "somebody's\n") },
		"a staged file lost": func(w *world, e *ManualCommitStrategy, j *journal) {
			i := slices.IndexFunc(j.Changes, func(c planned) bool { return c.Path == "dir/one" })
			ok(w.t, os.Remove(e.newSpot(j, i)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, e, j := begun(t)
			hinder(w, e, j)
			before := w.Snapshot()
			_, err := e.carryOut(w.ctx, j, true)
			var back *RolledBackError
			if !errors.As(err, &back) {
				t.Fatalf("error %v", err)
			}
			sameWorld(t, w, before)
			w.clean()
			w.Fsck()
		})
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestRewindTakenUpAgainThatCannotBeFinished is rolled back by the command that
// found it, which says so.
func TestRewindTakenUpAgainThatCannotBeFinished(t *testing.T) {
	t.Parallel()
	w, _, _ := begun(t)
	before := w.Snapshot()
	w.Write("deep", "somebody's\n")
	lines, err := w.engine().Recover(w.ctx)
	if err != nil || len(lines) != 1 || !strings.Contains(lines[0], "rolled back") || !strings.Contains(lines[0], "deep") {
		t.Fatalf("lines %q, error %v", lines, err)
	}
	w.Remove("deep")
	sameWorld(t, w, before)
	w.clean()
}

// TestRewindFinishedWithoutItsStage: somebody has cleared it.
func TestRewindFinishedWithoutItsStage(t *testing.T) {
	t.Parallel()
	w, e, _ := begun(t)
	ok(t, os.RemoveAll(e.stageRoot()))
	if lines, err := w.engine().Recover(w.ctx); err != nil || len(lines) != 1 {
		t.Fatalf("lines %q, error %v", lines, err)
	}
	if w.Read("a.txt") != "first\n" || w.Read("deep/er/new") != "new\n" || w.Exists("later") {
		t.Errorf("files %v", w.Snapshot().Contents())
	}
	w.clean()
}

// TestRewindRollsBackWithoutItsStage: what was replaced comes from git then.
func TestRewindRollsBackWithoutItsStage(t *testing.T) {
	t.Parallel()
	w, e, j := begun(t)
	before := w.Snapshot().Contents()
	if err := e.apply(w.ctx, j, &RewindOutcome{}, true); err != nil {
		t.Fatal(err)
	}
	ok(t, os.RemoveAll(e.stageRoot()))
	if changed, err := e.rollBack(w.ctx, j); err != nil || len(changed) > 0 {
		t.Fatalf("changed %v, error %v", changed, err)
	}
	sameFiles(t, w, before)
}

func TestRewindKilledBeforeAnything(t *testing.T) {
	t.Parallel()
	w, e, _ := begun(t)
	before := w.Snapshot()
	ok(t, os.Remove(e.journalPath()))
	lines, err := w.engine().Recover(w.ctx)
	if err != nil || len(lines) != 1 || !strings.Contains(lines[0], "before it changed any file") {
		t.Errorf("lines %q, error %v", lines, err)
	}
	sameWorld(t, w, before)
	w.clean()
}

// TestRewindJournalOfVersionOne is what the last release left behind.
func TestRewindJournalOfVersionOne(t *testing.T) {
	t.Parallel()
	w, e, j := begun(t)
	old := *j
	old.Version, old.ID, old.Before, old.Folders, old.Entry = 1, "", j.Before, nil, nil
	for i, c := range old.Changes {
		old.Changes[i] = planned{Path: c.Path, OldMode: c.OldMode, NewMode: c.NewMode, Old: c.Old, New: c.New}
	}
	ok(t, os.Rename(filepath.Join(e.stage(j), "new"), e.stage(&old)))
	ok(t, os.RemoveAll(e.stage(j)))
	ok(t, e.writeJournal(&old))
	if lines, err := w.engine().Recover(w.ctx); err != nil || len(lines) != 1 {
		t.Fatalf("lines %q, error %v", lines, err)
	}
	if w.Read("a.txt") != "first\n" || w.Read("deep/er/new") != "new\n" || w.Exists("later") {
		t.Errorf("files %v", w.Snapshot().Contents())
	}
	w.clean()
}

// TestRewindLeavesWhatGitTakesForUnchanged: nothing holds what is there.
func TestRewindLeavesWhatGitTakesForUnchanged(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--assume-unchanged", "--skip-worktree"} {
		w := twoTurns(t)
		w.Git("update-index", flag, "dir/one")
		w.Write("dir/one", "only copy\n")
		index := w.IndexBytes()
		out := w.rewind(w.points()[1].ID)
		if w.Read("dir/one") != "only copy\n" || w.Read("a.txt") != "first\n" {
			t.Errorf("%s: %v", flag, w.Snapshot().Contents())
		}
		if string(w.IndexBytes()) != string(index) {
			t.Errorf("%s: the index changed", flag)
		}
		_ = out
	}
}

// TestRewindKeepsEveryIndex byte for byte.
func TestRewindKeepsEveryIndex(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(*world){
		"staged":            func(w *world) { w.Write("a.txt", "staged\n"); w.Git("add", "a.txt"); w.Write("a.txt", "second\n") },
		"staged removal":    func(w *world) { w.Git("rm", "-q", "--cached", "other/x") },
		"intended to add":   func(w *world) { w.Write("intent", "x\n"); w.Git("add", "-N", "intent") },
		"split":             func(w *world) { w.Git("update-index", "--split-index") },
		"sparse":            func(w *world) { w.Git("sparse-checkout", "set", "--cone", "--sparse-index", "dir", "later", "deep") },
		"version 4":         func(w *world) { w.Git("update-index", "--index-version=4") },
		"untracked cache":   func(w *world) { w.Git("update-index", "--untracked-cache") },
		"skip-worktree":     func(w *world) { w.Git("update-index", "--skip-worktree", "other/x") },
		"assumed unchanged": func(w *world) { w.Git("update-index", "--assume-unchanged", "other/x") },
		"conflicts": func(w *world) {
			w.Git("update-index", "--force-remove", "other/x")
			for stage, text := range []string{"base", "ours", "theirs"} {
				oid := w.GitInput(text, "hash-object", "-w", "--stdin")
				w.GitInput("100644 "+oid+" "+string(rune('1'+stage))+"\tother/x\n", "update-index", "--index-info")
			}
		},
		"resolved": func(w *world) {
			w.Write("other/x", "y\n")
			w.Git("add", "other/x")
			w.Git("stash", "push", "-q", "--", "other/x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := twoTurns(t)
			make(w)
			state := func() map[string]string {
				files := map[string]string{}
				for _, f := range []string{"index", "HEAD", "config", "refs/stash", "logs/refs/stash", "logs/HEAD", "refs/heads/main"} {
					data, _ := os.ReadFile(w.GitPath(f))
					files[f] = string(data)
				}
				shared, _ := filepath.Glob(w.GitPath("sharedindex.*"))
				files["shared"] = strings.Join(shared, " ")
				return files
			}
			e := w.engine()
			p, err := e.FindPoint(w.ctx, w.points()[1].ID)
			ok(t, err)
			before := state()
			plan, err := e.PlanRewind(w.ctx, p, Scope{})
			ok(t, err)
			_, err = e.Rewind(w.ctx, plan)
			ok(t, err)
			for f, was := range before {
				if now := state()[f]; now != was {
					t.Errorf("%s changed", f)
				}
			}
			if w.Read("dir/one") != "1\n" {
				t.Errorf("not rewound: %v", w.Snapshot().Contents())
			}
			w.Fsck()
		})
	}
}

// otherFileSystem is a folder that a rename from the test's folder cannot reach,
// "" where there is none.
func otherFileSystem(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{"/dev/shm", "/var/tmp", "/tmp"} {
		other, err := os.MkdirTemp(dir, "entire-test-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { os.RemoveAll(other) })
		probe := filepath.Join(t.TempDir(), "probe")
		ok(t, os.WriteFile(probe, nil, 0o600))
		if os.Rename(probe, filepath.Join(other, "probe")) != nil {
			return other
		}
	}
	return ""
}

// TestRewindWhereTheGitDirectoryIsElsewhere: on another file system.
func TestRewindWhereTheGitDirectoryIsElsewhere(t *testing.T) {
	t.Parallel()
	other := otherFileSystem(t)
	if other == "" || runtime.GOOS == "windows" {
		t.Log("there is only one file system here")
		return
	}
	w := twoTurns(t)
	gitDir := filepath.Join(other, "git")
	ok(t, os.CopyFS(gitDir, os.DirFS(w.Path(".git"))))
	ok(t, os.RemoveAll(w.Path(".git")))
	w.Write(".git", "gitdir: "+gitDir+"\n")
	w.Write(".entire/settings.json", "{}\n")
	want := w.Snapshot()
	e, plan := w.plan(w.points()[1].ID)
	j, err := e.openRewind(w.ctx, plan, plan.now)
	ok(t, err)
	if !j.InTree || !exists(e.treeStageRoot()) {
		t.Error("the files do not wait in the worktree")
	}
	if _, err := e.carryOut(w.ctx, j, true); err != nil {
		t.Fatal(err)
	}
	if w.Read("a.txt") != "first\n" || w.Read("deep/er/new") != "new\n" || w.Exists("later") {
		t.Errorf("files %v", w.Snapshot().Contents())
	}
	w.clean()

	w.rewind(j.Safety.String())
	sameFiles(t, w, want.Contents())

	// Where the worktree has no room for them they are copied.
	ok(t, os.RemoveAll(w.Path(".entire")))
	w.Symlink("other", ".entire")
	e, plan = w.plan(j.Point.String())
	j, err = e.openRewind(w.ctx, plan, plan.now)
	ok(t, err)
	if j.InTree {
		t.Error("files are staged through a link")
	}
	if _, err := e.carryOut(w.ctx, j, true); err != nil {
		t.Fatal(err)
	}
	if w.Read("a.txt") != "first\n" || w.Read("deep/er/new") != "new\n" || w.Exists("later") {
		t.Errorf("files %v", w.Snapshot().Contents())
	}
	if names, err := filepath.Glob(w.Path("*/.entire-*")); err != nil || len(names) > 0 {
		t.Errorf("left: %v", names)
	}
	w.clean()
}

// TestRewindTakenUpBetweenAFileAndItsFolder: killed after each of its changes.
func TestRewindTakenUpBetweenAFileAndItsFolder(t *testing.T) {
	t.Parallel()
	for done := range 7 {
		w := newWorld(t, testrepo.Files(map[string]string{"dir/one": "1\n", "dir/two": "2\n", "swap": "s\n"}))
		w.turn("s1", "first", func() { w.Write("a.txt", "first\n") })
		want := w.Snapshot()
		w.turn("s1", "second", func() {
			w.Write("a.txt", "second\n")
			w.Remove("dir")
			w.Write("dir", "a file\n")
			w.Remove("swap")
			w.Write("swap/in", "a folder\n")
		})
		before := w.Snapshot()
		for _, hindered := range []bool{true, false} {
			e, plan := w.plan(w.points()[1].ID)
			j, err := e.openRewind(w.ctx, plan, plan.now)
			ok(t, err)
			wt, err := e.repo.OpenWorktree()
			ok(t, err)
			for _, i := range everything(j)[:min(done, len(j.Changes))] {
				ok(t, e.change(wt, j, i))
			}
			ok(t, wt.Close())
			if hindered { // what is still to be done may not be
				w.Remove("dir")
				w.Write("dir/one/x", "somebody's\n")
			}
			_, err = w.engine().Recover(w.ctx)
			ok(t, err)
			w.clean()
			if !hindered {
				sameFiles(t, w, want.Contents())
				continue
			}
			w.Remove("dir")
			w.Remove("swap")
			w.Write("dir", "a file\n")
			w.Write("swap/in", "a folder\n")
			sameFiles(t, w, before.Contents())
		}
	}
}

// TestUndoWhereAFileGaveWayToAFolder, and the other way round.
func TestUndoWhereAFileGaveWayToAFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"dir/one": "1\n", "swap": "s\n"}))
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.turn("s1", "second", func() {
		w.Remove("dir")
		w.Write("dir", "a file\n")
		w.Remove("swap")
		w.Write("swap/in", "a folder\n")
	})
	before := w.Snapshot().Contents()
	w.rewind(w.points()[1].ID)
	after := w.Snapshot().Contents()
	for n, want := range []map[string]string{before, after} {
		e := w.engine()
		plan, err := e.PlanUndo(w.ctx, "", ConflictsStop)
		if n == 1 {
			plan, err = e.PlanRedo(w.ctx, "", ConflictsStop)
		}
		ok(t, err)
		_, err = e.Rewind(w.ctx, plan)
		ok(t, err)
		sameFiles(t, w, want)
	}
}

// A file that a rewind has written and read back is in its step, though it cannot be
// read a moment later: without it, an undo would leave the file.
func TestStepOfARewindHasWhatWasWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	e := w.engine()
	head, _ := e.repo.Head()
	made, err := e.repo.Writer().Blob([]byte("made\n"))
	if err != nil {
		t.Fatal(err)
	}
	was, err := git.ParseOID(w.Git("rev-parse", "HEAD:b.txt"))
	if err != nil {
		t.Fatal(err)
	}
	snap := &snapshot{head: head}
	for _, p := range []string{"b.txt", "made", "mine"} {
		snap.skip(p, GapUnreadable, "not readable")
	}
	j := &journal{Changes: []planned{{Path: "b.txt", NewMode: git.ModeFile, New: was}, {Path: "made", NewMode: git.ModeFile, New: made}, {Path: "mine", NewMode: git.ModeFile, New: made}}}
	if err := e.asWritten(w.ctx, snap, j, &RewindOutcome{Written: []string{"b.txt", "made"}}); err != nil {
		t.Fatal(err)
	}
	if want := (fileStates{{"made", git.ModeFile, made}}); !snap.files.equal(want) {
		t.Errorf("the step has %v, want %v", snap.files, want)
	}
	if len(snap.skipped) != 1 || len(snap.uncaptured) != 1 || snap.uncaptured[0].Path != "mine" {
		t.Errorf("left out: %v, %v", snap.skipped, snap.uncaptured)
	}
}
