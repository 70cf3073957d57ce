package strategy

import (
	"strings"
	"testing"

	"entire/internal/testrepo"
)

// Work that an undo brings back is linked when it is committed, and to the sessions
// that did it.
func TestUndoGivesSessionsTheirWorkBack(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) *world {
		w := newWorld(t, testrepo.Files(map[string]string{"a.txt": lettered(20, nil)}))
		w.turn("s1", "first", func() { w.Write("a.txt", lettered(20, map[int]string{2: "s1"})) })
		w.turn("s2", "other", func() {
			w.Write("a.txt", lettered(20, map[int]string{2: "s1", 12: "s2"}))
			w.Write("m.txt", "m\n")
		})
		return w
	}
	touched := func(w *world, sid, want string) {
		w.t.Helper()
		if got := strings.Join(w.state(sid).FilesTouched, " "); got != want {
			w.t.Errorf("%s has touched %q, want %q", sid, got, want)
		}
	}
	t.Run("turn", func(t *testing.T) {
		t.Parallel()
		w := begin(t)
		w.undoTurn("s2", 1)
		w.back(undoing, "")
		touched(w, "s1", "a.txt")
		touched(w, "s2", "a.txt m.txt")
	})
	t.Run("turn, committed in between", func(t *testing.T) {
		t.Parallel()
		w := begin(t)
		w.undoTurn("s2", 1)
		w.Git("add", "-A")
		w.commit("without the turn")
		w.back(undoing, "")
		touched(w, "s1", "")
		touched(w, "s2", "a.txt m.txt")
		w.Git("add", "-A")
		if slots := w.slots(w.commit("with it")); len(slots) != 1 || strings.Join(slots["s2"], " ") != "a.txt m.txt" {
			t.Errorf("linked: %v", slots)
		}
	})
	t.Run("another session's, committed in between", func(t *testing.T) {
		t.Parallel()
		w := begin(t)
		w.rewind(w.points()[1].ID)
		w.Git("add", "-A")
		w.commit("the first's")
		w.back(undoing, "")
		touched(w, "s1", "")
		w.back(redoing, "")
		w.back(undoing, "")
		touched(w, "s2", "a.txt m.txt")
		w.Git("add", "-A")
		if slots := w.slots(w.commit("the second's")); len(slots) != 1 || strings.Join(slots["s2"], " ") != "a.txt m.txt" {
			t.Errorf("linked: %v", slots)
		}
	})
}

func (w *world) undoTurn(sid string, n int) {
	w.t.Helper()
	e := w.engine()
	plan, err := e.PlanTurn(w.ctx, Scope{Session: sid, Turn: n})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := e.Rewind(w.ctx, plan); err != nil {
		w.t.Fatal(err)
	}
}
