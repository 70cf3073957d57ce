package engine_test

import (
	"testing"

	"entire/strategy/internal/enginetest"
)

// A turn makes two commits: the first through our hooks, the second through those of
// another version, which gives it a trailer and a checkpoint.
func TestOtherToolCommitsNextInTheTurn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		before func(w *enginetest.World)
		first  func(w *enginetest.World) // what the agent does before the first commit, beside a.txt
		second func(w *enginetest.World) // and between the two, beside staging b.txt
		apart  bool                      // with a terminal that tool asks about the files of carried work alone
	}{
		{name: "written after the first commit", second: func(w *enginetest.World) { w.Write("b.txt", "b\n"); w.Edits("s1", "b.txt") }},
		{name: "written before the first commit", first: func(w *enginetest.World) { w.Write("b.txt", "b\n"); w.Edits("s1", "b.txt") }},
		{name: "on top of an earlier turn's work",
			before: func(w *enginetest.World) {
				w.Turn("s1", "Write c", func() { w.Write("c.txt", "c\n"); w.Edits("s1", "c.txt") })
			},
			second: func(w *enginetest.World) { w.Write("b.txt", "b\n"); w.Edits("s1", "b.txt") }, apart: true},
		{name: "beside another session's work",
			before: func(w *enginetest.World) {
				w.Turn("s2", "Write c", func() { w.Write("c.txt", "c\n"); w.Edits("s2", "c.txt") })
				w.Turn("s1", "Write d", func() { w.Write("d.txt", "d\n"); w.Edits("s1", "d.txt") })
			},
			second: func(w *enginetest.World) { w.Write("b.txt", "b\n"); w.Edits("s1", "b.txt") }, apart: true},
		{name: "beside a person's work",
			before: func(w *enginetest.World) { w.Write("p.txt", "p\n") },
			second: func(w *enginetest.World) { w.Write("b.txt", "b\n"); w.Edits("s1", "b.txt") }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t)
			if row.before != nil {
				row.before(w)
			}
			w.Prompt("s1", "Write a and b")
			w.Write("a.txt", "a\n")
			w.Edits("s1", "a.txt")
			if row.first != nil {
				row.first(w)
			}
			w.Git("add", "a.txt")
			if cp := w.CommitHooked("a"); cp == "" {
				t.Fatal("our commit is not linked")
			}
			if row.second != nil {
				row.second(w)
			}
			w.Git("add", "b.txt")
			for _, tty := range []bool{false, true} {
				if tty && row.apart {
					continue
				}
				if !w.OtherOffers("s1", tty, "b.txt") {
					t.Errorf("with a terminal %v: no trailer; state %+v", tty, w.OtherStateOf("s1"))
				}
			}
			if !w.OtherCondenses("s1", "b.txt") {
				t.Errorf("no checkpoint; state %+v", w.OtherStateOf("s1"))
			}
		})
	}
}
