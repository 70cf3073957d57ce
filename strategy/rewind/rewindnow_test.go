package rewind_test

import (
	"errors"
	"testing"

	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
	"entire/strategy/rewind"
)

// TestRewindNowSeesWhatMoves: between the plan and the doing somebody writes. At a
// path of the plan nothing is replaced; elsewhere it stays.
func TestRewindNowSeesWhatMoves(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		meanwhile func(*enginetest.World)
		refused   bool
	}{
		"nothing":                        {func(*enginetest.World) {}, false},
		"beside the plan":                {func(w *enginetest.World) { w.Write("b.txt", "person's\n"); w.Write("mine.txt", "new\n") }, false},
		"what would be replaced":         {func(w *enginetest.World) { w.Write("a.txt", "person's\n") }, true},
		"as long as it was":              {func(w *enginetest.World) { w.Write("a.txt", "SECOND\n") }, true},
		"its mode":                       {func(w *enginetest.World) { w.Chmod("a.txt", 0o755) }, true},
		"what would be removed":          {func(w *enginetest.World) { w.Write("second.txt", "person's\n") }, true},
		"gone":                           {func(w *enginetest.World) { w.Remove("a.txt") }, true},
		"where a file would be made":     {func(w *enginetest.World) { w.Write("first.txt", "person's\n") }, true},
		"a folder where one would be":    {func(w *enginetest.World) { w.Write("first.txt/x", "person's\n") }, true},
		"another commit":                 {func(w *enginetest.World) { w.Write("p.txt", "p\n"); w.Git("add", "p.txt"); w.CommitUnhooked("p.txt") }, true},
		"a link where a folder would be": {func(w *enginetest.World) { w.Symlink("dir", "made") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles())
			w.Turn("s1", "first", func() { w.Write("a.txt", "first\n"); w.Write("first.txt", "x\n"); w.Write("made/x.txt", "x\n") })
			w.Turn("s1", "second", func() {
				w.Write("a.txt", "second\n")
				w.Write("second.txt", "x\n")
				w.Remove("first.txt")
				w.Remove("made")
			})
			e, p := w.Engine(), w.Points()[1]
			var there map[string]string
			_, _, err := rewind.RewindNow(w.Ctx, e, func() (*rewind.Plan, error) {
				plan, err := rewind.PlanRewind(w.Ctx, e, p, condense.Scope{})
				row.meanwhile(w)
				there = w.Snapshot().Contents()
				return plan, err
			})
			switch {
			case row.refused && err == nil:
				t.Error("not refused")
			case row.refused:
				enginetest.SameFiles(t, w, there)
			case err != nil:
				t.Error(err)
			case w.Read("a.txt") != "first\n" || w.Exists("second.txt") || w.Read("made/x.txt") != "x\n":
				t.Error("not rewound")
			case w.Read("b.txt") != there["b.txt"]:
				t.Errorf("b.txt is %q", w.Read("b.txt"))
			}
			if _, err := rewind.Recover(w.Ctx, w.Engine()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRewindNowOfNoPlan changes nothing and leaves no lock.
func TestRewindNowOfNoPlan(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	no := errors.New("no")
	for range 2 {
		if _, _, err := rewind.RewindNow(w.Ctx, w.Engine(), func() (*rewind.Plan, error) { return nil, no }); !errors.Is(err, no) {
			t.Errorf("error %v", err)
		}
	}
}
