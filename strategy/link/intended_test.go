package link_test

import (
	"testing"

	"entire/strategy/internal/enginetest"
)

// git reports a path that was only intended to be added, and is gone, as if HEAD
// had it.
func TestIntendedToBeAddedWhereHEADHasSomethingElse(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ head, intended string }{
		"a folder of that name": {"thing/x", "thing"},
		"a file above":          {"thing", "thing/x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles())
			w.Write(row.head, "committed\n")
			w.Commit("more")
			w.Remove("thing")
			w.Write(row.intended, "later\n")
			w.Git("add", "-N", row.intended)
			w.Remove("thing")
			w.Write(row.head, "committed\n")
			w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
			before := w.Snapshot().Contents()
			w.Turn("s1", "second", func() { w.Remove("thing"); w.Write("a.txt", "second\n") })
			w.Rewind(w.Points()[1].ID)
			enginetest.SameFiles(t, w, before)
		})
	}
}
