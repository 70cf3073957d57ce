package tuitest

import (
	"testing"

	"entire/internal/timeline"
)

// TestShop insists that each turn of the story has its prompt and answer: the frames depend on them.
func TestShop(t *testing.T) {
	t.Parallel()
	s := Shop(t)
	tl := timeline.New(s.engine())
	defer tl.Close()
	w, err := tl.Window(t.Context(), 0, 100)
	s.ok(err)
	for _, p := range w.Points {
		d, err := tl.Details(t.Context(), p.ID)
		s.ok(err)
		if p.Kind == timeline.Turn && (d.Answer == "" || len(d.Prompts) == 0) {
			t.Errorf("%s %s has the prompts %q and the answer %q", p.Kind, p.ID, d.Prompts, d.Answer)
		}
	}
}
