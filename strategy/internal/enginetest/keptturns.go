package enginetest

import (
	"slices"
	"strings"

	"entire/strategy/rewind"
	"entire/strategy/step"
)

// pointLines lists the points that are steps, and whether a commit has taken them.
func (w *World) pointLines() []string {
	w.T.Helper()
	var out []string
	for _, p := range w.Points() {
		switch {
		case rewind.IsCommit(p):
		case p.TakenBy != "":
			out = append(out, "taken "+strings.ToLower(p.Message))
		default:
			out = append(out, strings.ToLower(p.Message))
		}
	}
	return out
}

func (w *World) WantPoints(want ...string) {
	w.T.Helper()
	if got := w.pointLines(); !slices.Equal(got, want) {
		w.T.Errorf("points:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// PointOf is the newest point whose message is the one given.
func (w *World) PointOf(message string) step.RewindPoint {
	w.T.Helper()
	for _, p := range w.Points() {
		if strings.EqualFold(p.Message, message) {
			return p
		}
	}
	w.T.Fatalf("no point %q in %v", message, w.pointLines())
	return step.RewindPoint{}
}
