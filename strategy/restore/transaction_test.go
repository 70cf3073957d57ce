package restore_test

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
	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// begun is a world with two turns and the rewind to the first begun: its journal
// is written, no file touched.
func begun(t *testing.T, opts ...testrepo.Option) (*enginetest.World, *sessionstate.Env, *restore.RewindJournal) {
	t.Helper()
	w := twoTurns(t, opts...)
	e, plan := w.Plan(w.Points()[1].ID)
	j, err := rewind.PrepareRewind(w.Ctx, e, plan, plan.Present)
	if err != nil {
		t.Fatal(err)
	}
	return w, e, j
}

func twoTurns(t *testing.T, opts ...testrepo.Option) *enginetest.World {
	t.Helper()
	w := enginetest.NewWorld(t, append(opts, testrepo.Files(map[string]string{"a.txt": "a\n", "dir/one": "1\n", "dir/two": "2\n", "other/x": "x\n"}))...)
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write("deep/er/new", "new\n") })
	w.Turn("s1", "second", func() {
		w.Write("a.txt", "second\n")
		w.Remove("deep")
		w.Write("dir/one", "second\n")
		w.Write("later/file", "later\n")
	})
	return w
}

// sameWorld compares everything, times too.
func sameWorld(t *testing.T, w *enginetest.World, want testrepo.Tree) {
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

// TestRewindIsRolledBack: what goes wrong after the first file was placed leaves
// everything as it was before.
func TestRewindIsRolledBack(t *testing.T) {
	t.Parallel()
	for name, hinder := range map[string]func(*enginetest.World, *sessionstate.Env, *restore.RewindJournal){
		"a folder in the way": func(w *enginetest.World, _ *sessionstate.Env, _ *restore.RewindJournal) {
			w.Write("deep/er/new/x", "somebody's\n")
		},
		"a file in the way": func(w *enginetest.World, _ *sessionstate.Env, _ *restore.RewindJournal) {
			w.Write("deep", "somebody's\n")
		},
		"a link in the way": func(w *enginetest.World, _ *sessionstate.Env, _ *restore.RewindJournal) { w.Symlink("/tmp", "deep") },
		"a link swapped in": func(w *enginetest.World, _ *sessionstate.Env, _ *restore.RewindJournal) {
			enginetest.Ok(w.T, os.Rename(w.Path("dir"), w.Path("moved")))
			w.Symlink(w.T.TempDir(), "dir")
		},
		"a file written meanwhile": func(w *enginetest.World, _ *sessionstate.Env, _ *restore.RewindJournal) {
			w.Write("dir/one", "somebody's\n")
		},
		"a staged file lost": func(w *enginetest.World, e *sessionstate.Env, j *restore.RewindJournal) {
			i := slices.IndexFunc(j.Changes, func(c restore.JournalChange) bool { return c.Path == "dir/one" })
			enginetest.Ok(w.T, os.Remove(restore.StagedNewPath(e, j, i)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, e, j := begun(t)
			hinder(w, e, j)
			before := w.Snapshot()
			_, err := rewind.CarryOutJournal(w.Ctx, e, j, true)
			var back *restore.RolledBackError
			if !errors.As(err, &back) {
				t.Fatalf("error %v", err)
			}
			sameWorld(t, w, before)
			w.Clean()
			w.Fsck()
		})
	}
}

// TestRewindTakenUpAgainThatCannotBeFinished is rolled back by the command that
// found it, which says so.
func TestRewindTakenUpAgainThatCannotBeFinished(t *testing.T) {
	t.Parallel()
	w, _, _ := begun(t)
	before := w.Snapshot()
	w.Write("deep", "somebody's\n")
	lines, err := rewind.Recover(w.Ctx, w.Engine())
	if err != nil || len(lines) != 1 || !strings.Contains(lines[0], "rolled back") || !strings.Contains(lines[0], "deep") {
		t.Fatalf("lines %q, error %v", lines, err)
	}
	w.Remove("deep")
	sameWorld(t, w, before)
	w.Clean()
}

// TestRewindFinishedWithoutItsStage: somebody has cleared it.
func TestRewindFinishedWithoutItsStage(t *testing.T) {
	t.Parallel()
	w, e, _ := begun(t)
	enginetest.Ok(t, os.RemoveAll(restore.StageRoot(e)))
	if lines, err := rewind.Recover(w.Ctx, w.Engine()); err != nil || len(lines) != 1 {
		t.Fatalf("lines %q, error %v", lines, err)
	}
	if w.Read("a.txt") != "first\n" || w.Read("deep/er/new") != "new\n" || w.Exists("later") {
		t.Errorf("files %v", w.Snapshot().Contents())
	}
	w.Clean()
}

// TestRewindRollsBackWithoutItsStage: what was replaced comes from git then.
func TestRewindRollsBackWithoutItsStage(t *testing.T) {
	t.Parallel()
	w, e, j := begun(t)
	before := w.Snapshot().Contents()
	if err := restore.ApplyChanges(w.Ctx, e, j, &restore.RewindOutcome{}, true); err != nil {
		t.Fatal(err)
	}
	enginetest.Ok(t, os.RemoveAll(restore.StageRoot(e)))
	if changed, err := restore.RollBack(w.Ctx, e, j); err != nil || len(changed) > 0 {
		t.Fatalf("changed %v, error %v", changed, err)
	}
	enginetest.SameFiles(t, w, before)
}

func TestRewindKilledBeforeAnything(t *testing.T) {
	t.Parallel()
	w, e, _ := begun(t)
	before := w.Snapshot()
	enginetest.Ok(t, os.Remove(condense.JournalPath(e)))
	lines, err := rewind.Recover(w.Ctx, w.Engine())
	if err != nil || len(lines) != 1 || !strings.Contains(lines[0], "before it changed any file") {
		t.Errorf("lines %q, error %v", lines, err)
	}
	sameWorld(t, w, before)
	w.Clean()
}

// TestRewindJournalOfVersionOne is what the last release left behind.
func TestRewindJournalOfVersionOne(t *testing.T) {
	t.Parallel()
	w, e, j := begun(t)
	old := *j
	old.Version, old.ID, old.Before, old.Folders, old.Entry = 1, "", j.Before, nil, nil
	for i, c := range old.Changes {
		old.Changes[i] = restore.JournalChange{Path: c.Path, OldMode: c.OldMode, NewMode: c.NewMode, Old: c.Old, New: c.New}
	}
	enginetest.Ok(t, os.Rename(filepath.Join(restore.StageDir(e, j), "new"), restore.StageDir(e, &old)))
	enginetest.Ok(t, os.RemoveAll(restore.StageDir(e, j)))
	enginetest.Ok(t, restore.WriteJournal(e, &old))
	if lines, err := rewind.Recover(w.Ctx, w.Engine()); err != nil || len(lines) != 1 {
		t.Fatalf("lines %q, error %v", lines, err)
	}
	if w.Read("a.txt") != "first\n" || w.Read("deep/er/new") != "new\n" || w.Exists("later") {
		t.Errorf("files %v", w.Snapshot().Contents())
	}
	w.Clean()
}

// TestRewindLeavesWhatGitTakesForUnchanged: nothing holds what is there.
func TestRewindLeavesWhatGitTakesForUnchanged(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--assume-unchanged", "--skip-worktree"} {
		w := twoTurns(t)
		w.Git("update-index", flag, "dir/one")
		w.Write("dir/one", "only copy\n")
		index := w.IndexBytes()
		out := w.Rewind(w.Points()[1].ID)
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
	for name, make := range map[string]func(*enginetest.World){
		"staged": func(w *enginetest.World) {
			w.Write("a.txt", "staged\n")
			w.Git("add", "a.txt")
			w.Write("a.txt", "second\n")
		},
		"staged removal":  func(w *enginetest.World) { w.Git("rm", "-q", "--cached", "other/x") },
		"intended to add": func(w *enginetest.World) { w.Write("intent", "x\n"); w.Git("add", "-N", "intent") },
		"split":           func(w *enginetest.World) { w.Git("update-index", "--split-index") },
		"sparse": func(w *enginetest.World) {
			w.Git("sparse-checkout", "set", "--cone", "--sparse-index", "dir", "later", "deep")
		},
		"version 4":         func(w *enginetest.World) { w.Git("update-index", "--index-version=4") },
		"untracked cache":   func(w *enginetest.World) { w.Git("update-index", "--untracked-cache") },
		"skip-worktree":     func(w *enginetest.World) { w.Git("update-index", "--skip-worktree", "other/x") },
		"assumed unchanged": func(w *enginetest.World) { w.Git("update-index", "--assume-unchanged", "other/x") },
		"conflicts": func(w *enginetest.World) {
			w.Git("update-index", "--force-remove", "other/x")
			for stage, text := range []string{"base", "ours", "theirs"} {
				oid := w.GitInput(text, "hash-object", "-w", "--stdin")
				w.GitInput("100644 "+oid+" "+string(rune('1'+stage))+"\tother/x\n", "update-index", "--index-info")
			}
		},
		"resolved": func(w *enginetest.World) {
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
			e := w.Engine()
			p, err := step.FindPoint(w.Ctx, e, w.Points()[1].ID)
			enginetest.Ok(t, err)
			before := state()
			plan, err := rewind.PlanRewind(w.Ctx, e, p, condense.Scope{})
			enginetest.Ok(t, err)
			_, err = rewind.Rewind(w.Ctx, e, plan)
			enginetest.Ok(t, err)
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
		enginetest.Ok(t, os.WriteFile(probe, nil, 0o600))
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
	enginetest.Ok(t, os.CopyFS(gitDir, os.DirFS(w.Path(".git"))))
	enginetest.Ok(t, os.RemoveAll(w.Path(".git")))
	w.Write(".git", "gitdir: "+gitDir+"\n")
	w.Write(".entire/settings.json", "{}\n")
	want := w.Snapshot()
	e, plan := w.Plan(w.Points()[1].ID)
	j, err := rewind.PrepareRewind(w.Ctx, e, plan, plan.Present)
	enginetest.Ok(t, err)
	if !j.InTree || !sessionstate.PathExists(restore.TreeStageRoot(e)) {
		t.Error("the files do not wait in the worktree")
	}
	if _, err := rewind.CarryOutJournal(w.Ctx, e, j, true); err != nil {
		t.Fatal(err)
	}
	if w.Read("a.txt") != "first\n" || w.Read("deep/er/new") != "new\n" || w.Exists("later") {
		t.Errorf("files %v", w.Snapshot().Contents())
	}
	w.Clean()

	w.Rewind(j.Safety.String())
	enginetest.SameFiles(t, w, want.Contents())

	// Where the worktree has no room for them they are copied.
	enginetest.Ok(t, os.RemoveAll(w.Path(".entire")))
	w.Symlink("other", ".entire")
	e, plan = w.Plan(j.Point.String())
	j, err = rewind.PrepareRewind(w.Ctx, e, plan, plan.Present)
	enginetest.Ok(t, err)
	if j.InTree {
		t.Error("files are staged through a link")
	}
	if _, err := rewind.CarryOutJournal(w.Ctx, e, j, true); err != nil {
		t.Fatal(err)
	}
	if w.Read("a.txt") != "first\n" || w.Read("deep/er/new") != "new\n" || w.Exists("later") {
		t.Errorf("files %v", w.Snapshot().Contents())
	}
	if names, err := filepath.Glob(w.Path("*/.entire-*")); err != nil || len(names) > 0 {
		t.Errorf("left: %v", names)
	}
	w.Clean()
}

// TestRewindTakenUpBetweenAFileAndItsFolder: killed after each of its changes.
func TestRewindTakenUpBetweenAFileAndItsFolder(t *testing.T) {
	t.Parallel()
	for done := range 7 {
		w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"dir/one": "1\n", "dir/two": "2\n", "swap": "s\n"}))
		w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
		want := w.Snapshot()
		w.Turn("s1", "second", func() {
			w.Write("a.txt", "second\n")
			w.Remove("dir")
			w.Write("dir", "a file\n")
			w.Remove("swap")
			w.Write("swap/in", "a folder\n")
		})
		before := w.Snapshot()
		for _, hindered := range []bool{true, false} {
			e, plan := w.Plan(w.Points()[1].ID)
			j, err := rewind.PrepareRewind(w.Ctx, e, plan, plan.Present)
			enginetest.Ok(t, err)
			wt, err := e.Repo.OpenWorktree()
			enginetest.Ok(t, err)
			for _, i := range restore.ApplyOrder(j)[:min(done, len(j.Changes))] {
				enginetest.Ok(t, restore.ApplyChange(e, wt, j, i))
			}
			enginetest.Ok(t, wt.Close())
			if hindered { // what is still to be done may not be
				w.Remove("dir")
				w.Write("dir/one/x", "somebody's\n")
			}
			_, err = rewind.Recover(w.Ctx, w.Engine())
			enginetest.Ok(t, err)
			w.Clean()
			if !hindered {
				enginetest.SameFiles(t, w, want.Contents())
				continue
			}
			w.Remove("dir")
			w.Remove("swap")
			w.Write("dir", "a file\n")
			w.Write("swap/in", "a folder\n")
			enginetest.SameFiles(t, w, before.Contents())
		}
	}
}

// TestUndoWhereAFileGaveWayToAFolder, and the other way round.
func TestUndoWhereAFileGaveWayToAFolder(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"dir/one": "1\n", "swap": "s\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.Turn("s1", "second", func() {
		w.Remove("dir")
		w.Write("dir", "a file\n")
		w.Remove("swap")
		w.Write("swap/in", "a folder\n")
	})
	before := w.Snapshot().Contents()
	w.Rewind(w.Points()[1].ID)
	after := w.Snapshot().Contents()
	for n, want := range []map[string]string{before, after} {
		e := w.Engine()
		plan, err := rewind.PlanUndo(w.Ctx, e, "", rewind.ConflictsStop)
		if n == 1 {
			plan, err = rewind.PlanRedo(w.Ctx, e, "", rewind.ConflictsStop)
		}
		enginetest.Ok(t, err)
		_, err = rewind.Rewind(w.Ctx, e, plan)
		enginetest.Ok(t, err)
		enginetest.SameFiles(t, w, want)
	}
}

// A file that a rewind has written and read back is in its step, though it cannot be
// read a moment later: without it, an undo would leave the file.
func TestStepOfARewindHasWhatWasWritten(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	e := w.Engine()
	head, _ := e.Repo.Head(w.Ctx)
	made, err := e.Repo.Writer().Blob([]byte("made\n"))
	if err != nil {
		t.Fatal(err)
	}
	was, err := git.ParseOID(w.Git("rev-parse", "HEAD:b.txt"))
	if err != nil {
		t.Fatal(err)
	}
	snap := &worktree.Snapshot{Head: head}
	for _, p := range []string{"b.txt", "made", "mine"} {
		snap.LeaveOut(p, worktree.GapUnreadable, "not readable")
	}
	j := &restore.RewindJournal{Changes: []restore.JournalChange{{Path: "b.txt", NewMode: git.ModeFile, New: was}, {Path: "made", NewMode: git.ModeFile, New: made}, {Path: "mine", NewMode: git.ModeFile, New: made}}}
	if err := rewind.AddUnreadableWritten(w.Ctx, e, snap, j, &restore.RewindOutcome{Written: []string{"b.txt", "made"}}); err != nil {
		t.Fatal(err)
	}
	if want := (sessionstate.PathVersions{{Path: "made", Mode: git.ModeFile, OID: made}}); !worktree.Equal(snap.Files, want) {
		t.Errorf("the step has %v, want %v", snap.Files, want)
	}
	if len(snap.Skipped) != 1 || len(snap.Uncaptured) != 1 || snap.Uncaptured[0].Path != "mine" {
		t.Errorf("left out: %v, %v", snap.Skipped, snap.Uncaptured)
	}
}
