package rewind_test

import (
	"testing"

	"entire/internal/testrepo"
	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
	"entire/strategy/rewind"
)

// TestNextBack insists that NextBack names the rewinds that an undo and a redo without a name take.
func TestNextBack(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n"}))
	check := func(undo, redo string) {
		t.Helper()
		e := w.Engine()
		u, r, err := rewind.NextBack(e)
		if err != nil {
			t.Fatal(err)
		}
		name := func(e *condense.RewindEntry) string {
			if e == nil {
				return ""
			}
			return e.Point
		}
		if name(u) != undo || name(r) != redo {
			t.Errorf("undo leads back before %q, redo to %q; want %q and %q", name(u), name(r), undo, redo)
		}
		if plan, err := rewind.PlanUndo(w.Ctx, e, "", rewind.ConflictsStop); (err == nil) != (u != nil) || err == nil && plan.Entry != u.ID {
			t.Errorf("an undo takes %v (%v), not %v", plan, err, u)
		}
	}
	check("", "")
	w.Turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "two\n") })
	point := w.Points()[1].ID
	w.Rewind(point)
	check(point, "")
	w.Back(enginetest.Undoing, "")
	check("", point)
	w.Back(enginetest.Redoing, "")
	check(point, "")
}

// TestUndoneBy insists that the log names for each entry, also an undo or a redo, the one that reversed it.
func TestUndoneBy(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "one\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "two\n") })
	w.Rewind(w.Points()[1].ID)
	w.Back(enginetest.Undoing, "")
	w.Back(enginetest.Redoing, "")
	w.Back(enginetest.Undoing, "")
	log := w.Log() // newest first
	for i, want := range []string{"", log[0].ID, log[1].ID, log[0].ID} {
		if log[i].UndoneBy != want {
			t.Errorf("%s %s is undone by %q, want %q", log[i].Kind, log[i].ID, log[i].UndoneBy, want)
		}
	}
}
