package queue

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"entire/id"
	"entire/session/internal/conversation"
	"entire/session/internal/layout"
)

// Length is how many appends and updates a store accepts before it has written the first
// of them.
const Length = 256

// A Queue accepts appends and updates for the sessions of a store, and writes them in a
// goroutine of its own. The first one starts the goroutine, and Close ends it.
type Queue struct {
	*layout.Base
	Broken error // why the store cannot be used; every call returns it

	// Mu is held for reading while an op is sent, and for writing by Close.
	Mu      sync.RWMutex
	closed  bool
	Ops     chan *op
	closing chan struct{} // closed by Close
	start   sync.Once
	done    chan struct{} // closed when the writer goroutine has ended
	Pending atomic.Int64  // accepted ops that are neither written nor given up
	stuck   atomic.Bool   // the last attempt to write failed
	Fault   Faults
}

// New returns the queue of the store at b.
func New(b *layout.Base) *Queue {
	return &Queue{
		Base:    b,
		Ops:     make(chan *op, Length),
		done:    make(chan struct{}),
		closing: make(chan struct{}),
	}
}

// Update queues a change of a session's metadata.
func (q *Queue) Update(ctx context.Context, sid id.SessionID, fn func(*conversation.SessionMetadata)) error {
	return q.accept(ctx, &op{sid: sid, update: fn})
}

// An op is one accepted append or update, or a wait for the ops before it.
type op struct {
	sid        id.SessionID
	messages   []byte             // whole lines
	transcript []byte             // whole lines
	tally      conversation.Tally // the tally of messages
	update     func(*conversation.SessionMetadata)

	wait  chan error // of a wait: receives the error
	flush bool       // of a wait: makes the writer flush
}

// enqueue sends an op to the writer and reports whether it was accepted. It waits while the
// queue is full and the writer makes progress. The error may be that of an earlier write which
// no call has returned yet.
func (q *Queue) enqueue(ctx context.Context, o *op) (_ error, accepted bool) {
	q.Mu.RLock()
	defer q.Mu.RUnlock()
	if err := q.usable(ctx); err != nil {
		return err, false
	}
	q.start.Do(func() { go q.write() })
	q.Pending.Add(1)
	select {
	case q.Ops <- o:
	default:
		if err := q.send(ctx, o); err != nil {
			q.Pending.Add(-1)
			return err, false
		}
	}
	return q.Fault.TakeUnreported(), true
}

// accept is enqueue for appends and updates; see ErrAccepted.
func (q *Queue) accept(ctx context.Context, o *op) error {
	err, sent := q.enqueue(ctx, o)
	if sent {
		err = Accepted(err)
	}
	return err
}

// send waits for room in the queue. It fails if the writer cannot write, because then there
// will be none.
func (q *Queue) send(ctx context.Context, o *op) error {
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case q.Ops <- o:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
			if q.stuck.Load() {
				return fmt.Errorf("the queue is full: %w", q.Fault.last())
			}
		}
	}
}

func (q *Queue) usable(ctx context.Context) error {
	if q.Broken != nil {
		return q.Broken
	}
	if q.closed {
		return ErrClosed
	}
	return ctx.Err()
}

// AwaitWrites waits until the writer has written everything queued, and returns the error of a write
// that no call has returned yet. Every call but an append begins with it.
func (q *Queue) AwaitWrites(ctx context.Context) error {
	q.Mu.RLock()
	err := q.usable(ctx)
	q.Mu.RUnlock()
	if err != nil {
		return err
	}
	if q.Pending.Load() == 0 {
		return q.Fault.TakeUnreported()
	}
	return q.wait(ctx, false)
}

// wait returns when the writer has done what was queued before, or cannot do it.
func (q *Queue) wait(ctx context.Context, flush bool) error {
	o := &op{wait: make(chan error, 1), flush: flush}
	early, sent := q.enqueue(ctx, o)
	if !sent {
		return early
	}
	look := time.NewTicker(2 * retryEvery)
	defer look.Stop()
	for {
		select {
		case err := <-o.wait:
			// The writer may have tried the earlier ops before, too, and have recorded that
			// error.
			return Combine(Combine(early, err), q.Fault.TakeUnreported())
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
			if q.stuck.Load() { // the writer is stuck before it reached this op
				return q.Fault.last()
			}
		}
	}
}

// Flush returns when everything that was appended before would survive a crash of the machine,
// and the metadata counts it.
func (q *Queue) Flush(ctx context.Context) error {
	q.Mu.RLock()
	err := q.usable(ctx)
	q.Mu.RUnlock()
	if err == nil {
		err = q.wait(ctx, true)
	}
	if err != nil {
		return fmt.Errorf("flush session store: %w", err)
	}
	return nil
}

// Close flushes and ends the writer. It returns the errors of
// everything that was lost, even if a call has returned them before. A second Close returns the
// same.
func (q *Queue) Close() error {
	q.Mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.Ops)
		close(q.closing)
		q.start.Do(func() { close(q.done) }) // the writer was never started
	}
	q.Mu.Unlock()
	<-q.done
	if err := q.Fault.final(); err != nil {
		return fmt.Errorf("close session store: %w", err)
	}
	return nil
}
