package work

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestNewWorkCancelsOld(t *testing.T) {
	t.Parallel()
	q := NewQueue(t.Context())
	defer q.Close()
	began := make(chan struct{})
	first := q.Do("a", func(ctx context.Context) tea.Msg {
		close(began)
		<-ctx.Done()
		return "old"
	})
	got := make(chan tea.Msg, 1)
	go func() { got <- first() }()
	<-began
	second := q.Do("a", func(context.Context) tea.Msg { return "new" })
	if msg := <-got; msg != nil {
		t.Errorf("cancelled work sends %v", msg)
	}
	if msg := second(); msg != "new" {
		t.Errorf("the new work sends %v", msg)
	}
	if q.Busy() {
		t.Error("busy although all has ended")
	}
}

func TestOneAtATime(t *testing.T) {
	t.Parallel()
	q := NewQueue(t.Context())
	defer q.Close()
	var running, most atomic.Int32
	var all sync.WaitGroup
	for _, slot := range []string{"a", "b", "c", "d"} {
		cmd := q.Do(slot, func(context.Context) tea.Msg {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			return slot
		})
		all.Go(func() {
			if msg := cmd(); msg != slot {
				t.Errorf("%s sends %v", slot, msg)
			}
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d pieces ran at once", most.Load())
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	q := NewQueue(t.Context())
	waits := q.Do("a", func(context.Context) tea.Msg { return "late" })
	q.Close()
	if msg := waits(); msg != nil {
		t.Errorf("work of a closed queue sends %v", msg)
	}
	if cmd := q.Do("b", func(context.Context) tea.Msg { return 1 }); cmd != nil {
		t.Error("a closed queue takes work")
	}
}
