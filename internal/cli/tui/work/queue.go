package work

import (
	"context"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// A Queue runs pieces of work one after another.
type Queue struct {
	ctx   context.Context
	close context.CancelFunc
	turn  chan struct{} // holds a value while no piece runs

	mu    sync.Mutex
	slots map[string]*piece
}

// A piece is work that was asked for and has not ended.
type piece struct{ cancel context.CancelFunc }

// NewQueue returns a queue whose work ends with ctx.
func NewQueue(ctx context.Context) *Queue {
	ctx, cancel := context.WithCancel(ctx)
	q := &Queue{ctx: ctx, close: cancel, turn: make(chan struct{}, 1), slots: map[string]*piece{}}
	q.turn <- struct{}{}
	return q
}

// Do returns the command that runs do and sends its message. It cancels what the slot was asked for
// before. Cancelled work sends nothing, even if it has ended already. Once the queue is closed, Do
// returns nil.
func (q *Queue) Do(slot string, do func(context.Context) tea.Msg) tea.Cmd {
	ctx, p := q.begin(slot)
	if p == nil {
		return nil
	}
	return func() tea.Msg {
		defer q.end(slot, p)
		select {
		case <-ctx.Done():
			return nil
		case <-q.turn:
		}
		defer func() { q.turn <- struct{}{} }()
		if ctx.Err() != nil {
			return nil
		}
		msg := do(ctx)
		if ctx.Err() != nil {
			return nil
		}
		return msg
	}
}

func (q *Queue) begin(slot string) (context.Context, *piece) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ctx.Err() != nil {
		return nil, nil
	}
	if before := q.slots[slot]; before != nil {
		before.cancel()
	}
	ctx, cancel := context.WithCancel(q.ctx)
	p := &piece{cancel}
	q.slots[slot] = p
	return ctx, p
}

func (q *Queue) end(slot string, p *piece) {
	p.cancel()
	q.mu.Lock()
	if q.slots[slot] == p {
		delete(q.slots, slot)
	}
	q.mu.Unlock()
}

// Busy reports whether anything in the slots was asked for and has not ended; without slots, anything
// at all.
func (q *Queue) Busy(slots ...string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(slots) == 0 {
		return len(q.slots) > 0
	}
	for _, slot := range slots {
		if q.slots[slot] != nil {
			return true
		}
	}
	return false
}

// Close cancels everything and waits until the command that runs has returned. Commands that
// were never run are not waited for.
func (q *Queue) Close() {
	q.mu.Lock()
	q.close()
	q.mu.Unlock()
	<-q.turn
}
