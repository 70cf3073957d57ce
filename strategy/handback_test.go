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

// Work of a turn that was under way when somebody rewound, and work that was done
// between a rewind and its undo, is the session's as well.
func TestRewindInMidTurnKeepsCount(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		rewind func(w *world, point string)
		late   func(w *world)
		want   string
	}{
		"one file":         {func(w *world, p string) { w.restore(p, "x.txt") }, nil, "late.txt x.txt y.txt z.txt"},
		"a turn":           {func(w *world, _ string) { w.undoTurn("s1", 2) }, nil, "late.txt x.txt z.txt"},
		"all, undone":      {func(w *world, p string) { w.rewind(p); w.back(undoing, "") }, nil, "late.txt x.txt y.txt z.txt"},
		"all, undone late": {func(w *world, p string) { w.rewind(p) }, func(w *world) { w.back(undoing, "") }, "late.txt x.txt y.txt z.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, testrepo.Files(map[string]string{"x.txt": "x\n"}))
			w.turn("s1", "first", func() { w.Write("x.txt", "1\n") })
			w.turn("s1", "second", func() { w.Write("y.txt", "2\n"); w.Write("x.txt", "2\n") })
			w.prompt("s1", "third")
			w.Write("z.txt", "3\n")
			row.rewind(w, w.points()[1].ID)
			w.Write("late.txt", "4\n")
			w.stop("s1")
			if row.late != nil {
				row.late(w)
			}
			if got := strings.Join(w.state("s1").FilesTouched, " "); got != row.want {
				t.Errorf("touched %q, want %q", got, row.want)
			}
		})
	}
}

func (w *world) restore(pid string, paths ...string) {
	w.t.Helper()
	e := w.engine()
	p, err := e.FindPoint(w.ctx, pid)
	if err != nil {
		w.t.Fatal(err)
	}
	plan, err := e.PlanRewind(w.ctx, p, Scope{Kind: ScopeTree, SkipTalk: true, Paths: paths})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := e.Rewind(w.ctx, plan); err != nil {
		w.t.Fatal(err)
	}
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
