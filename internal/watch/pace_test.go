package watch

import (
	"testing"
	"time"
)

// TestPace: a change is saved when it has been quiet, or at last after the longest wait.
func TestPace(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	after := func(d time.Duration) time.Time { return begin.Add(d) }
	var p pace
	want := func(what string, d time.Duration) {
		t.Helper()
		if got := p.due(); !got.Equal(after(d)) {
			t.Errorf("%s: due after %s, want %s", what, got.Sub(begin), d)
		}
	}
	if !p.due().IsZero() {
		t.Error("due without a change")
	}
	p.changed(begin)
	want("one change", quiet)
	p.changed(after(time.Second))
	want("another one", time.Second+quiet)
	p.changed(after(longest - time.Millisecond))
	want("one after the other", longest)
	p.postponeBusy(after(longest))
	want("busy", longest+busyPause)
	p.postponeBusy(after(longest + busyPause))
	want("still busy", longest+busyPause+2*busyPause)
	p = pace{}
	for i := range 10 { // only ignored files change
		p.changed(after(time.Duration(i) * time.Minute))
		p.saved(after(time.Duration(i)*time.Minute), false, 0)
	}
	p.changed(begin)
	want("after many empty saves", longest)
}

// TestPaceLimits: no hour has more steps or bytes than the limits, and what waits is saved later.
func TestPaceLimits(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var p pace
	for i := range maxSteps {
		p.saved(begin.Add(time.Duration(i)*time.Second), true, 1)
	}
	p.changed(begin.Add(10 * time.Minute))
	if got := p.due(); !got.Equal(begin.Add(time.Hour)) {
		t.Errorf("after %d steps: due after %s", maxSteps, got.Sub(begin))
	}
	p = pace{kept: []Kept{{begin, maxBytes}}}
	p.changed(begin.Add(time.Minute))
	if got := p.due(); !got.Equal(begin.Add(time.Hour)) {
		t.Errorf("after a large step: due after %s", got.Sub(begin))
	}
	p.saved(begin.Add(time.Hour+time.Second), true, 1)
	if len(p.kept) != 1 {
		t.Errorf("steps of an earlier hour count: %v", p.kept)
	}
}
