package restore_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"entire/internal/testrepo"
	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
	"entire/strategy/rewind"
	"entire/strategy/step"
)

func TestUndoAndRedoAsInAnEditor(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n", "run.sh": "#!/bin/sh\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write("b.txt", "b\n") })
	first := w.Files()
	w.Turn("s1", "second", func() { w.Write("a.txt", "second\n"); w.Chmod("run.sh", 0o755) })
	second := w.Files()
	w.Turn("s1", "third", func() { w.Remove("b.txt"); w.Symlink("a.txt", "link") })
	w.Write("mine.txt", "a person's\n")
	third := w.Files()
	talk := enginetest.ReadFile(t, w.Transcript("s1"))
	points := w.Points()
	index, head := w.IndexBytes(), w.Head()

	w.Rewind(points[1].ID) // to second
	w.Has("rewind to second", second)
	w.Rewind(points[2].ID)
	w.Has("rewind to first", first)
	w.Back(enginetest.Undoing, "")
	w.Has("undo", second)
	w.Back(enginetest.Undoing, "")
	w.Has("undo twice", third)
	if got := enginetest.ReadFile(t, w.Transcript("s1")); got != talk {
		t.Errorf("conversation after two undos: %d bytes, had %d", len(got), len(talk))
	}
	if _, err := rewind.PlanUndo(w.Ctx, w.Engine(), "", rewind.ConflictsStop); !errors.Is(err, rewind.ErrNothingToUndo) {
		t.Errorf("a third undo: %v", err)
	}
	w.Back(enginetest.Redoing, "")
	w.Has("redo", second)
	w.Back(enginetest.Redoing, "")
	w.Has("redo twice", first)
	if _, err := rewind.PlanRedo(w.Ctx, w.Engine(), "", rewind.ConflictsStop); !errors.Is(err, rewind.ErrNothingToRedo) {
		t.Errorf("a third redo: %v", err)
	}
	w.Back(enginetest.Undoing, "")
	w.Has("undo again", second)
	w.Rewind(points[2].ID)
	w.Has("something new", first)
	if _, err := rewind.PlanRedo(w.Ctx, w.Engine(), "", rewind.ConflictsStop); !errors.Is(err, rewind.ErrNothingToRedo) {
		t.Errorf("redo after something new: %v", err)
	}
	if string(index) != string(w.IndexBytes()) || head != w.Head() {
		t.Error("index or HEAD changed")
	}
	log := w.Log()
	var kinds []string
	for _, e := range log {
		kinds = append(kinds, string(e.Kind))
		for _, id := range []string{e.Before, e.After} {
			if p, err := step.FindPoint(w.Ctx, w.Engine(), id); err != nil || p.ID != id {
				t.Errorf("step %s of the log: %v", id, err)
			}
		}
	}
	if got, want := strings.Join(kinds, " "), "rewind undo redo redo undo undo rewind rewind"; got != want {
		t.Errorf("log: %s, want %s", got, want)
	}
	w.Fsck()
}

func TestLogOutlivesATornLine(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "second\n") })
	w.Rewind(w.Points()[1].ID)
	log := w.GitPath("entire/rewinds.jsonl")
	whole := enginetest.ReadFile(t, log)
	if err := os.WriteFile(log, []byte(whole+whole[:len(whole)/2]), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Back(enginetest.Undoing, "")
	if got := w.Read("a.txt"); got != "second\n" {
		t.Errorf("after the undo: %q", got)
	}
	if got := w.Log(); len(got) != 2 || got[1].UndoneBy != got[0].ID {
		t.Errorf("log: %+v", got)
	}
	if err := os.WriteFile(log, []byte("{nonsense\n"+whole+"{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := rewind.Log(w.Ctx, w.Engine()); !errors.Is(err, condense.ErrRewindLog) {
		t.Error("a damaged line is not told")
	}
	findings := maintain.Examine(w.Ctx, w.Engine(), func(string, int, int) {})
	for _, f := range findings {
		if f.Mend != nil {
			if _, err := f.Mend(w.Ctx); err != nil {
				t.Error(err)
			}
		}
	}
	if aside := enginetest.ReadFile(t, log+".unreadable"); aside != "{nonsense\n{}\n" {
		t.Errorf("put aside: %q", aside)
	}
	w.Turn("s1", "third", func() { w.Write("a.txt", "third\n") })
	w.Rewind(w.Points()[0].ID)
	if got := w.Log(); len(got) != 2 || got[0].Seq < 3 || got[1].ID == "" {
		t.Errorf("log after it was mended: %+v", got)
	}
}

func TestKilledUndoIsLoggedOnce(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "second\n") })
	w.Rewind(w.Points()[1].ID)
	e := w.Engine()
	plan, err := rewind.PlanUndo(w.Ctx, e, "", rewind.ConflictsStop)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rewind.PrepareRewind(w.Ctx, e, plan, plan.Present); err != nil {
		t.Fatal(err)
	}
	journal := enginetest.ReadFile(t, condense.JournalPath(e))
	if _, err := rewind.Recover(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(condense.JournalPath(e), []byte(journal), 0o600); err != nil { // killed just before its end
		t.Fatal(err)
	}
	if _, err := rewind.Recover(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	if got := w.Log(); len(got) != 2 || got[0].Kind != condense.RewindUndo {
		t.Errorf("log: %+v", got)
	}
	if got := w.Read("a.txt"); got != "second\n" {
		t.Errorf("after the undo: %q", got)
	}
}

// A folder that has taken a file's place since the last step is in what a rewind
// saves first, where that file was committed in the middle of it.
func TestRewindSavesAFolderInAFilesPlace(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", "dir/c.txt": "c\n", "dir/d.txt": "d\n"})).Hooked()
	w.Turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	point := w.Points()[0].ID
	w.Git("rm", "-q", "-r", "dir")
	w.Write("dir", "a file\n")
	w.Git("add", "-A")
	w.Turn("s1", "a folder again", func() {
		w.Remove("dir")
		w.Write("dir/d.txt", "the agent's\n")
	})
	w.GitCommit("-m", "as staged")
	out := w.Rewind(point)
	if got := w.Git("ls-tree", "-r", "--name-only", out.SafetyID, "dir"); got != "dir/d.txt" {
		t.Errorf("what was there before is saved with %q", got)
	}
	if got := w.Read("dir/c.txt") + w.Read("dir/d.txt"); got != "c\nd\n" {
		t.Errorf("in dir is %q", got)
	}
	w.Back(enginetest.Undoing, "")
	if got := w.Read("dir/d.txt"); got != "the agent's\n" {
		t.Errorf("after the undo, dir/d.txt is %q", got)
	}
}
