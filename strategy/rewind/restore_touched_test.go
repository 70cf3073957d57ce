package rewind_test

import (
	"strings"
	"testing"

	"entire/internal/testrepo"
	"entire/strategy/internal/enginetest"
)

// Work that an undo brings back is linked when it is committed, and to the sessions
// that did it.
func TestUndoGivesSessionsTheirWorkBack(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) *enginetest.World {
		w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": lettered(20, nil)}))
		w.Turn("s1", "first", func() { w.Write("a.txt", lettered(20, map[int]string{2: "s1"})) })
		w.Turn("s2", "other", func() {
			w.Write("a.txt", lettered(20, map[int]string{2: "s1", 12: "s2"}))
			w.Write("m.txt", "m\n")
		})
		return w
	}
	touched := func(w *enginetest.World, sid, want string) {
		w.T.Helper()
		if got := strings.Join(w.State(sid).FilesTouched, " "); got != want {
			w.T.Errorf("%s has touched %q, want %q", sid, got, want)
		}
	}
	t.Run("turn", func(t *testing.T) {
		t.Parallel()
		w := begin(t)
		w.UndoTurn("s2", 1)
		w.Back(enginetest.Undoing, "")
		touched(w, "s1", "a.txt")
		touched(w, "s2", "a.txt m.txt")
	})
	t.Run("turn, committed in between", func(t *testing.T) {
		t.Parallel()
		w := begin(t)
		w.UndoTurn("s2", 1)
		w.Git("add", "-A")
		w.CommitHooked("without the turn")
		w.Back(enginetest.Undoing, "")
		touched(w, "s1", "")
		touched(w, "s2", "a.txt m.txt")
		w.Git("add", "-A")
		if slots := w.Slots(w.CommitHooked("with it")); len(slots) != 1 || strings.Join(slots["s2"], " ") != "a.txt m.txt" {
			t.Errorf("linked: %v", slots)
		}
	})
	t.Run("another session's, committed in between", func(t *testing.T) {
		t.Parallel()
		w := begin(t)
		w.Rewind(w.Points()[1].ID)
		w.Git("add", "-A")
		w.CommitHooked("the first's")
		w.Back(enginetest.Undoing, "")
		touched(w, "s1", "")
		w.Back(enginetest.Redoing, "")
		w.Back(enginetest.Undoing, "")
		touched(w, "s2", "a.txt m.txt")
		w.Git("add", "-A")
		if slots := w.Slots(w.CommitHooked("the second's")); len(slots) != 1 || strings.Join(slots["s2"], " ") != "a.txt m.txt" {
			t.Errorf("linked: %v", slots)
		}
	})
}

// Work of a turn that was under way when somebody rewound, and work that was done
// between a rewind and its undo, is the session's as well.
func TestRewindInMidTurnKeepsCount(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		rewind func(w *enginetest.World, point string)
		late   func(w *enginetest.World)
		want   string
	}{
		"one file":         {func(w *enginetest.World, p string) { w.Restore(p, "x.txt") }, nil, "late.txt x.txt y.txt z.txt"},
		"a turn":           {func(w *enginetest.World, _ string) { w.UndoTurn("s1", 2) }, nil, "late.txt x.txt z.txt"},
		"all, undone":      {func(w *enginetest.World, p string) { w.Rewind(p); w.Back(enginetest.Undoing, "") }, nil, "late.txt x.txt y.txt z.txt"},
		"all, undone late": {func(w *enginetest.World, p string) { w.Rewind(p) }, func(w *enginetest.World) { w.Back(enginetest.Undoing, "") }, "late.txt x.txt y.txt z.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"x.txt": "x\n"}))
			w.Turn("s1", "first", func() { w.Write("x.txt", "1\n") })
			w.Turn("s1", "second", func() { w.Write("y.txt", "2\n"); w.Write("x.txt", "2\n") })
			w.Prompt("s1", "third")
			w.Write("z.txt", "3\n")
			row.rewind(w, w.Points()[1].ID)
			w.Write("late.txt", "4\n")
			w.Stop("s1")
			if row.late != nil {
				row.late(w)
			}
			if got := strings.Join(w.State("s1").FilesTouched, " "); got != row.want {
				t.Errorf("touched %q, want %q", got, row.want)
			}
		})
	}
}
