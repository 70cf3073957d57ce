package session

import (
	"context"
	"fmt"
	"time"

	"entire/id"
)

// An op is one accepted append or update, or a wait for the ops before it.
type op struct {
	sid        id.SessionID
	messages   []byte // whole lines
	transcript []byte // whole lines
	tally      tally  // the tally of messages
	update     func(*SessionMetadata)

	wait  chan error // of a wait: receives the error
	flush bool       // of a wait: makes the writer flush
}

// enqueue sends an op to the writer and reports whether it was accepted. It waits while the
// queue is full and the writer makes progress. The error may be that of an earlier write which
// no call has returned yet.
func (s *Store) enqueue(ctx context.Context, o *op) (_ error, accepted bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return err, false
	}
	s.start.Do(func() { go s.write() })
	s.pending.Add(1)
	select {
	case s.ops <- o:
	default:
		if err := s.send(ctx, o); err != nil {
			s.pending.Add(-1)
			return err, false
		}
	}
	return s.fault.take(), true
}

// accept is enqueue for appends and updates; see ErrAccepted.
func (s *Store) accept(ctx context.Context, o *op) error {
	err, sent := s.enqueue(ctx, o)
	if sent {
		err = accepted(err)
	}
	return err
}

// send waits for room in the queue. It fails if the writer cannot write, because then there
// will be none.
func (s *Store) send(ctx context.Context, o *op) error {
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case s.ops <- o:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
			if s.stuck.Load() {
				return fmt.Errorf("the queue is full: %w", s.fault.last())
			}
		}
	}
}

func (s *Store) usable(ctx context.Context) error {
	if s.broken != nil {
		return s.broken
	}
	if s.closed {
		return ErrClosed
	}
	return ctx.Err()
}

// settle waits until the writer has written everything queued, and returns the error of a write
// that no call has returned yet. Every call but an append begins with it.
func (s *Store) settle(ctx context.Context) error {
	s.mu.RLock()
	err := s.usable(ctx)
	s.mu.RUnlock()
	if err != nil {
		return err
	}
	if s.pending.Load() == 0 {
		return s.fault.take()
	}
	return s.wait(ctx, false)
}

// wait returns when the writer has done what was queued before, or cannot do it.
func (s *Store) wait(ctx context.Context, flush bool) error {
	o := &op{wait: make(chan error, 1), flush: flush}
	early, sent := s.enqueue(ctx, o)
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
			return both(both(early, err), s.fault.take())
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
			if s.stuck.Load() { // the writer is stuck before it reached this op
				return s.fault.last()
			}
		}
	}
}

// Flush returns when everything that was appended before would survive a crash of the machine,
// and the metadata counts it.
func (s *Store) Flush(ctx context.Context) error {
	s.mu.RLock()
	err := s.usable(ctx)
	s.mu.RUnlock()
	if err == nil {
		err = s.wait(ctx, true)
	}
	if err != nil {
		return fmt.Errorf("flush session store: %w", err)
	}
	return nil
}

// Close implements [SessionStore]: it flushes and ends the writer. It returns the errors of
// everything that was lost, even if a call has returned them before. A second Close returns the
// same.
func (s *Store) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.ops)
		close(s.closing)
		s.start.Do(func() { close(s.done) }) // the writer was never started
	}
	s.mu.Unlock()
	<-s.done
	if err := s.fault.final(); err != nil {
		return fmt.Errorf("close session store: %w", err)
	}
	return nil
}
