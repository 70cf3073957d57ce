package rewind_test

import (
	"errors"
	"testing"

	"entire/internal/testrepo"
	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/step"
)

// TestMarkersAreNotTakenForAVersion rewinds with markers, undoes that, and asks
// again: the version with the markers is nobody's.
func TestMarkersAreNotTakenForAVersion(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "1\n2\n3\n"}))
	w.Turn("s1", "first", func() { w.Write("b.txt", "s1\n") })
	point := w.Points()[0].ID
	w.Turn("s1", "second", func() { w.Write("a.txt", "1\ns1\n3\n") })
	w.Write("a.txt", "1\ns1, and mine\n3\n")
	w.RewindIn(point, condense.Scope{Kind: condense.ScopeSession, Conflicts: rewind.ConflictsMarkers})
	e := w.Engine()
	back, err := rewind.PlanUndo(w.Ctx, e, "", rewind.ConflictsStop)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rewind.Rewind(w.Ctx, e, back); err != nil {
		t.Fatal(err)
	}
	p, err := step.FindPoint(w.Ctx, e, point)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := rewind.PlanRewind(w.Ctx, e, p, condense.Scope{Kind: condense.ScopeSession})
	if err != nil || len(plan.Conflicts) != 1 || len(plan.Changes) != 0 {
		t.Errorf("the plan has conflicts %v and changes %v, %v", plan.Conflicts, plan.Changes, err)
	}
	if _, err := rewind.Rewind(w.Ctx, e, plan); !errors.Is(err, rewind.ErrConflicts) {
		t.Errorf("Rewind = %v, want %v", err, rewind.ErrConflicts)
	}
	if got := w.Read("a.txt"); got != "1\ns1, and mine\n3\n" {
		t.Errorf("a.txt is %q", got)
	}
}

// TestFilesOfACommitsPoint brings back a file of a commit, and undoes that.
func TestFilesOfACommitsPoint(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "two\n") })
	w.Git("add", "-A")
	w.CommitHooked("linked")
	e := w.Engine()
	points, err := step.Points(w.Ctx, e, 0)
	if err != nil || len(points) == 0 || !points[0].IsLogsOnly {
		t.Fatalf("points: %v, %v", points, err)
	}
	w.Write("a.txt", "three\n")
	w.Write("new.txt", "kept\n")
	if _, err := rewind.PlanRewind(w.Ctx, e, points[0], condense.Scope{Kind: condense.ScopeTree}); !errors.Is(err, restore.ErrLogsOnly) {
		t.Errorf("with the conversation: %v, want %v", err, restore.ErrLogsOnly)
	}
	w.RewindIn(points[0].ID, condense.Scope{Kind: condense.ScopeTree, SkipConversation: true, Paths: []string{"a.txt"}})
	if w.Read("a.txt") != "two\n" || w.Read("new.txt") != "kept\n" {
		t.Errorf("a.txt is %q, new.txt %q", w.Read("a.txt"), w.Read("new.txt"))
	}
	back, err := rewind.PlanUndo(w.Ctx, e, "", rewind.ConflictsStop)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rewind.Rewind(w.Ctx, e, back); err != nil || w.Read("a.txt") != "three\n" {
		t.Errorf("undone, a.txt is %q, %v", w.Read("a.txt"), err)
	}
}
