package link

import (
	"context"
	"testing"
	"time"
)

// TestHalfOf proves that work left over from others leaves time for the event itself.
func TestHalfOf(t *testing.T) {
	now := time.Now()
	event, cancel := context.WithDeadline(t.Context(), now.Add(20*time.Second))
	defer cancel()
	ctx, done := halfOf(event, now)
	defer done()
	if end, limited := ctx.Deadline(); !limited || !end.Equal(now.Add(10*time.Second)) {
		t.Errorf("it ends %v after now, %v", end.Sub(now), limited)
	}
	for name, ctx := range map[string]context.Context{"no limit": t.Context(), "another clock": event} {
		same, done := halfOf(ctx, now.Add(-24*time.Hour))
		defer done()
		if same != ctx {
			t.Errorf("%s: it has another end", name)
		}
	}
}
