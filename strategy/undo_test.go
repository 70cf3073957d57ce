package strategy

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

type planner func(*ManualCommitStrategy, context.Context, string, ConflictMode) (*RewindPlan, error)

var (
	undoing planner = func(e *ManualCommitStrategy, ctx context.Context, name string, mode ConflictMode) (*RewindPlan, error) {
		return e.PlanUndo(ctx, name, mode)
	}
	redoing planner = func(e *ManualCommitStrategy, ctx context.Context, name string, mode ConflictMode) (*RewindPlan, error) {
		return e.PlanRedo(ctx, name, mode)
	}
)

func (w *world) back(plan planner, name string) *RewindOutcome {
	w.t.Helper()
	e := w.engine()
	p, err := plan(e, w.ctx, name, ConflictsStop)
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := e.Rewind(w.ctx, p)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *world) log() []RewindEntry {
	w.t.Helper()
	log, err := w.engine().RewindLog(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return log
}

// files is what stands in the worktree, modes included, without the agent's files.
func (w *world) files() map[string]string {
	out := w.Snapshot(".git").Contents()
	for p, m := range modes(w.Snapshot(".git")) {
		out[p+" mode"] = m
	}
	return out
}

func (w *world) has(when string, want map[string]string) {
	w.t.Helper()
	got := w.files()
	for p, c := range want {
		if got[p] != c {
			w.t.Errorf("%s: %q is %q, want %q", when, p, got[p], c)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			w.t.Errorf("%s: %q is there", when, p)
		}
	}
}

func TestUndoAndRedoAsInAnEditor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n", "run.sh": "#!/bin/sh\n"}))
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write("b.txt", "b\n") })
	first := w.files()
	w.turn("s1", "second", func() { w.Write("a.txt", "second\n"); w.Chmod("run.sh", 0o755) })
	second := w.files()
	w.turn("s1", "third", func() { w.Remove("b.txt"); w.Symlink("a.txt", "link") })
	w.Write("mine.txt", "a person's\n")
	third := w.files()
	talk := readFile(t, w.transcript("s1"))
	points := w.points()
	index, head := w.IndexBytes(), w.Head()

	w.rewind(points[1].ID) // to second
	w.has("rewind to second", second)
	w.rewind(points[2].ID)
	w.has("rewind to first", first)
	w.back(undoing, "")
	w.has("undo", second)
	w.back(undoing, "")
	w.has("undo twice", third)
	if got := readFile(t, w.transcript("s1")); got != talk {
		t.Errorf("conversation after two undos: %d bytes, had %d", len(got), len(talk))
	}
	if _, err := w.engine().PlanUndo(w.ctx, "", ConflictsStop); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("a third undo: %v", err)
	}
	w.back(redoing, "")
	w.has("redo", second)
	w.back(redoing, "")
	w.has("redo twice", first)
	if _, err := w.engine().PlanRedo(w.ctx, "", ConflictsStop); !errors.Is(err, ErrNothingToRedo) {
		t.Errorf("a third redo: %v", err)
	}
	w.back(undoing, "")
	w.has("undo again", second)
	w.rewind(points[2].ID)
	w.has("something new", first)
	if _, err := w.engine().PlanRedo(w.ctx, "", ConflictsStop); !errors.Is(err, ErrNothingToRedo) {
		t.Errorf("redo after something new: %v", err)
	}
	if string(index) != string(w.IndexBytes()) || head != w.Head() {
		t.Error("index or HEAD changed")
	}
	log := w.log()
	var kinds []string
	for _, e := range log {
		kinds = append(kinds, string(e.Kind))
		for _, id := range []string{e.Before, e.After} {
			if p, err := w.engine().FindPoint(w.ctx, id); err != nil || p.ID != id {
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
	w := newWorld(t)
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.turn("s1", "second", func() { w.Write("a.txt", "second\n") })
	w.rewind(w.points()[1].ID)
	log := w.GitPath("entire/rewinds.jsonl")
	whole := readFile(t, log)
	if err := os.WriteFile(log, []byte(whole+whole[:len(whole)/2]), 0o600); err != nil {
		t.Fatal(err)
	}
	w.back(undoing, "")
	if got := w.Read("a.txt"); got != "second\n" {
		t.Errorf("after the undo: %q", got)
	}
	if got := w.log(); len(got) != 2 || got[1].UndoneBy != got[0].ID {
		t.Errorf("log: %+v", got)
	}
	if err := os.WriteFile(log, []byte("{nonsense\n"+whole+"{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.engine().RewindLog(w.ctx); !errors.Is(err, ErrRewindLog) {
		t.Error("a damaged line is not told")
	}
	findings := w.engine().Examine(w.ctx, func(string, int, int) {})
	for _, f := range findings {
		if f.Mend != nil {
			if _, err := f.Mend(w.ctx); err != nil {
				t.Error(err)
			}
		}
	}
	if aside := readFile(t, log+".unreadable"); aside != "{nonsense\n{}\n" {
		t.Errorf("put aside: %q", aside)
	}
	w.turn("s1", "third", func() { w.Write("a.txt", "third\n") })
	w.rewind(w.points()[0].ID)
	if got := w.log(); len(got) != 2 || got[0].Seq < 3 || got[1].ID == "" {
		t.Errorf("log after it was mended: %+v", got)
	}
}

func TestKilledUndoIsLoggedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.turn("s1", "second", func() { w.Write("a.txt", "second\n") })
	w.rewind(w.points()[1].ID)
	e := w.engine()
	plan, err := e.PlanUndo(w.ctx, "", ConflictsStop)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.openRewind(w.ctx, plan, plan.now); err != nil {
		t.Fatal(err)
	}
	journal := readFile(t, e.journalPath())
	if _, err := w.engine().Recover(w.ctx); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(e.journalPath(), []byte(journal), 0o600); err != nil { // killed just before its end
		t.Fatal(err)
	}
	if _, err := w.engine().Recover(w.ctx); err != nil {
		t.Fatal(err)
	}
	if got := w.log(); len(got) != 2 || got[0].Kind != RewindUndo {
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
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", "dir/c.txt": "c\n", "dir/d.txt": "d\n"})).hooked()
	w.turn("s1", "write", func() { w.Write("a.txt", "agent\n") })
	point := w.points()[0].ID
	w.Git("rm", "-q", "-r", "dir")
	w.Write("dir", "a file\n")
	w.Git("add", "-A")
	w.turn("s1", "a folder again", func() {
		w.Remove("dir")
		w.Write("dir/d.txt", "the agent's\n")
	})
	w.gitCommit("-m", "as staged")
	out := w.rewind(point)
	if got := w.Git("ls-tree", "-r", "--name-only", out.SafetyID, "dir"); got != "dir/d.txt" {
		t.Errorf("what was there before is saved with %q", got)
	}
	if got := w.Read("dir/c.txt") + w.Read("dir/d.txt"); got != "c\nd\n" {
		t.Errorf("in dir is %q", got)
	}
	w.back(undoing, "")
	if got := w.Read("dir/d.txt"); got != "the agent's\n" {
		t.Errorf("after the undo, dir/d.txt is %q", got)
	}
}
