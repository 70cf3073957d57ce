package rewind_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"entire/internal/testrepo"
	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
	"entire/strategy/rewind"
	"entire/strategy/step"
)

// lettered is a text of lettered lines, some of them replaced.
func lettered(n int, with map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		line, ok := with[i]
		if !ok {
			line = "line " + string(rune('a'+i))
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// parallelWork is two sessions and a person at work on the same files, one after
// the other. It returns the point after the first session's first turn.
func parallelWork(w *enginetest.World) string {
	w.Turn("s1", "first", func() { w.Write("a.txt", lettered(12, map[int]string{1: "s1 one"})) })
	point := w.Points()[0].ID
	w.Turn("s2", "other", func() {
		w.Write("a.txt", lettered(12, map[int]string{1: "s1 one", 6: "s2"}))
		w.Write("two.txt", "s2\n")
	})
	w.Write("mine.txt", "a person's\n")
	w.Turn("s1", "second", func() {
		w.Write("a.txt", lettered(12, map[int]string{1: "s1 one", 6: "s2", 12: "s1 two"}))
		w.Write("one.txt", "s1\n")
	})
	w.Write("a.txt", lettered(12, map[int]string{1: "s1 one", 3: "person", 6: "s2", 12: "s1 two"}))
	return point
}

func TestRewindOfASessionKeepsWhatOthersDid(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		scope condense.Scope
		text  map[int]string
		files []string // of one.txt, two.txt, mine.txt
	}{
		"auto":         {scope: condense.Scope{}, text: map[int]string{1: "s1 one"}},
		"session":      {scope: condense.Scope{Kind: condense.ScopeSession}, text: map[int]string{1: "s1 one", 3: "person", 6: "s2"}, files: []string{"two.txt", "mine.txt"}},
		"other's":      {scope: condense.Scope{Kind: condense.ScopeSession, Session: "s2"}, text: map[int]string{1: "s1 one", 3: "person", 12: "s1 two"}, files: []string{"one.txt", "mine.txt"}},
		"tree":         {scope: condense.Scope{Kind: condense.ScopeTree}, text: map[int]string{1: "s1 one"}},
		"keep mine":    {scope: condense.Scope{Kind: condense.ScopeTree, KeepMine: true}, text: map[int]string{1: "s1 one", 3: "person"}, files: []string{"mine.txt"}},
		"one file":     {scope: condense.Scope{Kind: condense.ScopeTree, Paths: []string{"a.txt"}}, text: map[int]string{1: "s1 one"}, files: []string{"one.txt", "two.txt", "mine.txt"}},
		"conversation": {scope: condense.Scope{SkipCode: true}, text: map[int]string{1: "s1 one", 3: "person", 6: "s2", 12: "s1 two"}, files: []string{"one.txt", "two.txt", "mine.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": lettered(12, nil)}))
			point := parallelWork(w)
			before := w.Files()
			_, out := w.RewindIn(point, row.scope)
			if got, want := w.Read("a.txt"), lettered(12, row.text); got != want {
				t.Errorf("a.txt is\n%swant\n%s", got, want)
			}
			for _, p := range []string{"one.txt", "two.txt", "mine.txt"} {
				if w.Exists(p) != slices.Contains(row.files, p) {
					t.Errorf("%s exists: %v", p, w.Exists(p))
				}
			}
			after := w.Files()
			w.Back(enginetest.Undoing, "")
			w.Has("undo", before)
			w.Back(enginetest.Redoing, "")
			w.Has("redo", after)
			if out.EntryID == "" {
				t.Error("no entry")
			}
			w.Fsck()
		})
	}
}

func TestPlanSaysWhoseWorkIsUndone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": lettered(12, nil)}))
	point := parallelWork(w)
	plan, out := w.RewindIn(point, condense.Scope{Kind: condense.ScopeTree})
	got := map[string]string{}
	for _, c := range plan.Changes {
		for _, u := range c.Undoes {
			got[c.Path] += u.Who + "; "
		}
	}
	for path, want := range map[string]string{
		"a.txt": "session s2; this session; person; ", "one.txt": "this session; ", "two.txt": "session s2; ", "mine.txt": "person; ",
	} {
		if got[path] != want {
			t.Errorf("%s: %q, want %q", path, got[path], want)
		}
	}
	slices.Sort(out.Replaced)
	if want := []string{"a.txt", "mine.txt"}; !slices.Equal(out.Replaced, want) {
		t.Errorf("replaced: %v, want %v", out.Replaced, want)
	}
}

func TestWhatARewindUndidIsNotUndoneTwice(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": lettered(12, nil)}))
	w.Turn("s2", "other", func() { w.Write("two.txt", "s2\n") })
	w.Turn("s1", "first", func() { w.Write("a.txt", lettered(12, map[int]string{1: "one"})) })
	first := w.Points()[0].ID
	w.Turn("s1", "second", func() { w.Write("a.txt", lettered(12, map[int]string{1: "one", 6: "two"})) })
	second := w.Points()[0].ID
	w.Turn("s1", "third", func() { w.Write("a.txt", lettered(12, map[int]string{1: "one", 6: "two", 12: "three"})) })
	w.RewindIn(first, condense.Scope{Kind: condense.ScopeSession})
	w.Turn("s2", "again", func() { w.Write("a.txt", lettered(12, map[int]string{1: "one", 4: "s2"})) })
	w.RewindIn(second, condense.Scope{Kind: condense.ScopeSession}) // forward: the second turn stands again
	if got, want := w.Read("a.txt"), lettered(12, map[int]string{1: "one", 4: "s2", 6: "two"}); got != want {
		t.Errorf("a.txt is\n%swant\n%s", got, want)
	}
	w.RewindIn(first, condense.Scope{Kind: condense.ScopeSession})
	if got, want := w.Read("a.txt"), lettered(12, map[int]string{1: "one", 4: "s2"}); got != want {
		t.Errorf("back again: a.txt is\n%swant\n%s", got, want)
	}
	w.Back(enginetest.Undoing, "")
	w.Back(enginetest.Undoing, "")
	if got, want := w.Read("a.txt"), lettered(12, map[int]string{1: "one", 4: "s2"}); got != want {
		t.Errorf("after two undos: a.txt is\n%swant\n%s", got, want)
	}
	w.RewindIn(first, condense.Scope{Kind: condense.ScopeSession})
	if got, want := w.Read("a.txt"), lettered(12, map[int]string{1: "one", 4: "s2"}); got != want {
		t.Errorf("once more: a.txt is\n%swant\n%s", got, want)
	}
	w.Fsck()
}

func TestOneTurnIsUndone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": lettered(12, nil), "run.sh": "x\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", lettered(12, map[int]string{1: "one"})) })
	w.Turn("s1", "second", func() {
		w.Write("a.txt", lettered(12, map[int]string{1: "one", 6: "two"}))
		w.Write("new.txt", "two\n")
		w.Chmod("run.sh", 0o755)
	})
	w.Turn("s1", "third", func() { w.Write("a.txt", lettered(12, map[int]string{1: "one", 6: "two", 12: "three"})) })
	w.Write("run.sh", "x\nmine\n")
	before, talk := w.Files(), enginetest.ReadFile(t, w.Transcript("s1"))
	e := w.Engine()
	plan, err := rewind.PlanTurn(w.Ctx, e, condense.Scope{Turn: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rewind.Rewind(w.Ctx, e, plan); err != nil {
		t.Fatal(err)
	}
	if got, want := w.Read("a.txt"), lettered(12, map[int]string{1: "one", 12: "three"}); got != want {
		t.Errorf("a.txt is\n%swant\n%s", got, want)
	}
	if w.Exists("new.txt") || w.Read("run.sh") != "x\nmine\n" || enginetest.Modes(w.Snapshot())["run.sh"] != "----------" {
		t.Errorf("new.txt %v, run.sh %q %s", w.Exists("new.txt"), w.Read("run.sh"), enginetest.Modes(w.Snapshot())["run.sh"])
	}
	if got := enginetest.ReadFile(t, w.Transcript("s1")); got != talk {
		t.Error("the conversation was cut")
	}
	if plan, err := rewind.PlanTurn(w.Ctx, w.Engine(), condense.Scope{Turn: 2}); err != nil || len(plan.Changes) > 0 {
		t.Errorf("undone twice: %v, %v", plan, err)
	}
	w.Back(enginetest.Undoing, "")
	w.Has("undo", before)
	if _, err := rewind.PlanTurn(w.Ctx, w.Engine(), condense.Scope{Turn: 7}); !errors.Is(err, rewind.ErrNotOnBranch) {
		t.Errorf("a turn that never was: %v", err)
	}
}

func TestConflictsAreNeverGuessed(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		mode condense.ConflictMode
		want string
	}{
		"stop":    {rewind.ConflictsStop, ""},
		"keep":    {rewind.ConflictsKeep, "1\ns1, and mine\n3\n"},
		"markers": {rewind.ConflictsMarkers, "1\n<<<<<<< before the rewind\ns1, and mine\n=======\n2\n>>>>>>> rewound to POINT\n3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "1\n2\n3\n", "b.txt": "b\n", "bin": "\x00one"}))
			w.Turn("s1", "first", func() { w.Write("first.txt", "x\n") })
			point := w.Points()[0].ID
			w.Turn("s1", "second", func() {
				w.Write("a.txt", "1\ns1\n3\n")
				w.Write("b.txt", "s1\n")
				w.Write("bin", "\x00two")
				w.Write("gone.txt", "s1\n")
			})
			w.Write("a.txt", "1\ns1, and mine\n3\n")
			w.Write("bin", "\x00three")
			w.Write("gone.txt", "s1\nand mine\n")
			e := w.Engine()
			p, err := step.FindPoint(w.Ctx, e, point)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := rewind.PlanRewind(w.Ctx, e, p, condense.Scope{Kind: condense.ScopeTree, KeepMine: true, Conflicts: row.mode})
			if err != nil {
				t.Fatal(err)
			}
			var paths []string
			for _, c := range plan.Conflicts {
				paths = append(paths, c.Path)
				if c.Base.OID.IsZero() || c.Ours.OID.IsZero() || c.Saved == "" {
					t.Errorf("conflict without its sides: %+v", c)
				}
			}
			if want := []string{"a.txt", "bin", "gone.txt"}; !slices.Equal(paths, want) {
				t.Errorf("conflicts: %v, want %v", paths, want)
			}
			_, err = rewind.Rewind(w.Ctx, e, plan)
			if row.mode == rewind.ConflictsStop {
				if !errors.Is(err, rewind.ErrConflicts) || w.Read("b.txt") != "s1\n" || !strings.Contains(err.Error(), "a.txt") {
					t.Errorf("%v, b.txt %q", err, w.Read("b.txt"))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, want := w.Read("a.txt"), strings.ReplaceAll(row.want, "POINT", point[:7]); got != want {
				t.Errorf("a.txt: %q, want %q", got, want)
			}
			if w.Read("b.txt") != "b\n" || w.Read("bin") != "\x00three" || w.Read("gone.txt") != "s1\nand mine\n" {
				t.Errorf("b.txt %q, bin %q, gone.txt %q", w.Read("b.txt"), w.Read("bin"), w.Read("gone.txt"))
			}
			w.Back(enginetest.Undoing, "")
			if got := w.Read("a.txt"); got != "1\ns1, and mine\n3\n" {
				t.Errorf("undone: %q", got)
			}
		})
	}
}

func TestUndoMergesWhatWasChangedSince(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": lettered(12, nil)}))
	w.Turn("s1", "first", func() { w.Write("b.txt", "b\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", lettered(12, map[int]string{2: "two"})); w.Write("b.txt", "two\n") })
	w.Rewind(w.Points()[1].ID)
	w.Write("a.txt", lettered(12, map[int]string{10: "mine"}))
	rewound := w.Files()
	w.Back(enginetest.Undoing, "")
	if got, want := w.Read("a.txt"), lettered(12, map[int]string{2: "two", 10: "mine"}); got != want {
		t.Errorf("a.txt is\n%swant\n%s", got, want)
	}
	w.Back(enginetest.Redoing, "")
	w.Has("redo", rewound)
	w.Write("b.txt", "mine\n")
	e := w.Engine()
	plan, err := rewind.PlanUndo(w.Ctx, e, "", rewind.ConflictsStop)
	if err != nil || len(plan.Conflicts) != 1 || plan.Conflicts[0].Path != "b.txt" {
		t.Fatalf("%v, %+v", err, plan)
	}
	if _, err := rewind.Rewind(w.Ctx, e, plan); !errors.Is(err, rewind.ErrConflicts) {
		t.Errorf("carried out: %v", err)
	}
}

func TestUndoAfterACommit(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": lettered(12, nil)}))
	w.Turn("s1", "first", func() { w.Write("a.txt", lettered(12, map[int]string{2: "one"})) })
	w.Turn("s1", "second", func() { w.Write("a.txt", lettered(12, map[int]string{2: "one", 8: "two"})); w.Write("new.txt", "n\n") })
	second := w.Files()
	w.Rewind(w.Points()[1].ID)
	w.Git("add", "-A")
	w.CommitHooked("the first only")
	if len(w.Shadows()) > 0 {
		t.Fatalf("shadow branches: %v", w.Shadows())
	}
	w.Git("gc", "-q", "--prune=now")
	head := w.Head()
	w.Back(enginetest.Undoing, "")
	w.Has("undo", second)
	if w.Head() != head {
		t.Error("HEAD moved")
	}
	w.Back(enginetest.Redoing, "")
	w.Fsck()
}
