package enginetest

import (
	"os"

	"entire/strategy/maintain"
	"entire/strategy/turn"
)

// Lose removes an object, as a prune does that did not see the ref yet.
func (w *World) Lose(spec string) {
	w.T.Helper()
	oid := w.Git("rev-parse", spec)
	if err := os.Remove(w.GitPath("objects/" + oid[:2] + "/" + oid[2:])); err != nil {
		w.T.Fatal(err)
	}
}

func (w *World) Reported() []turn.Problem {
	w.T.Helper()
	report, err := maintain.Status(w.Ctx, w.Engine())
	if err != nil {
		w.T.Fatal(err)
	}
	return report.Problems
}

// MendByDoctor does what doctor --fix does for broken branches.
func (w *World) MendByDoctor() {
	w.T.Helper()
	found := 0
	for _, f := range maintain.Examine(w.Ctx, w.Engine(), func(string, int, int) {}) {
		if f.Kind != "broken-branch" {
			continue
		}
		found++
		if _, err := f.Mend(w.Ctx); err != nil {
			w.T.Fatal(err)
		}
	}
	if found == 0 {
		w.T.Error("doctor finds nothing")
	}
}
