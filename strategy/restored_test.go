package strategy

import (
	"errors"
	"testing"

	"entire/internal/testrepo"
)

// TestMarkersAreNotTakenForAVersion rewinds with markers, undoes that, and asks
// again: the version with the markers is nobody's.
func TestMarkersAreNotTakenForAVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "1\n2\n3\n"}))
	w.turn("s1", "first", func() { w.Write("b.txt", "s1\n") })
	point := w.points()[0].ID
	w.turn("s1", "second", func() { w.Write("a.txt", "1\ns1\n3\n") })
	w.Write("a.txt", "1\ns1, and mine\n3\n")
	w.rewindIn(point, Scope{Kind: ScopeSession, Conflicts: ConflictsMarkers})
	e := w.engine()
	back, err := e.PlanUndo(w.ctx, "", ConflictsStop)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Rewind(w.ctx, back); err != nil {
		t.Fatal(err)
	}
	p, err := e.FindPoint(w.ctx, point)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := e.PlanRewind(w.ctx, p, Scope{Kind: ScopeSession})
	if err != nil || len(plan.Conflicts) != 1 || len(plan.Changes) != 0 {
		t.Errorf("the plan has conflicts %v and changes %v, %v", plan.Conflicts, plan.Changes, err)
	}
	if _, err := e.Rewind(w.ctx, plan); !errors.Is(err, ErrConflicts) {
		t.Errorf("Rewind = %v, want %v", err, ErrConflicts)
	}
	if got := w.Read("a.txt"); got != "1\ns1, and mine\n3\n" {
		t.Errorf("a.txt is %q", got)
	}
}

// TestFilesOfACommitsPoint brings back a file of a commit, and undoes that.
func TestFilesOfACommitsPoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	w.turn("s1", "first", func() { w.Write("a.txt", "two\n") })
	w.Git("add", "-A")
	w.commit("linked")
	e := w.engine()
	points, err := e.Points(w.ctx, 0)
	if err != nil || len(points) == 0 || !points[0].IsLogsOnly {
		t.Fatalf("points: %v, %v", points, err)
	}
	w.Write("a.txt", "three\n")
	w.Write("new.txt", "kept\n")
	if _, err := e.PlanRewind(w.ctx, points[0], Scope{Kind: ScopeTree}); !errors.Is(err, ErrLogsOnly) {
		t.Errorf("with the conversation: %v, want %v", err, ErrLogsOnly)
	}
	w.rewindIn(points[0].ID, Scope{Kind: ScopeTree, SkipTalk: true, Paths: []string{"a.txt"}})
	if w.Read("a.txt") != "two\n" || w.Read("new.txt") != "kept\n" {
		t.Errorf("a.txt is %q, new.txt %q", w.Read("a.txt"), w.Read("new.txt"))
	}
	back, err := e.PlanUndo(w.ctx, "", ConflictsStop)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Rewind(w.ctx, back); err != nil || w.Read("a.txt") != "three\n" {
		t.Errorf("undone, a.txt is %q, %v", w.Read("a.txt"), err)
	}
}
