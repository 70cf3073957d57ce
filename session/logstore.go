package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"entire/id"
)

// queueLength is how many appends and updates a store accepts before it has
// written the first of them.
const queueLength = 256

// Store keeps conversations on disk, a folder for each; docs/format.md has the
// layout. It is a [SessionStore] and a [Reader], and each documented method that
// may wait has a variant that takes a context.
//
// One goroutine does the writing. It is started by the first append or update
// and ends with Close. Any number of goroutines and processes may use the same
// sessions: lines are whole, and each caller's stay in order. Reading takes no
// lock.
//
// An append is on disk, safe from a crash of this program, soon after it
// returned, and at the latest when Flush, Close, or a call that reads through
// the same store returns. Flush and Close also make it safe from a crash of the
// machine.
type Store struct {
	base   string
	now    func() time.Time
	noSync bool
	broken error // why nothing can be done; reported by every call

	// mu is held for reading where an op is sent, for writing by Close.
	mu      sync.RWMutex
	closed  bool
	ops     chan *op
	closing chan struct{} // closed by Close
	start   sync.Once
	done    chan struct{} // closed when the writer has ended
	pending atomic.Int64  // ops accepted and not yet written or given up
	stuck   atomic.Bool   // the last attempt to write failed
	fault   faults
}

var (
	_ SessionStore = (*Store)(nil)
	_ Reader       = (*Store)(nil)
)

// An Option changes how a store works.
type Option func(*options)

type options struct {
	now     func() time.Time
	persist bool
	sync    bool
}

// WithClock sets where the times of what the store makes come from.
func WithClock(now func() time.Time) Option { return func(o *options) { o.now = now } }

// WithPersist(false) makes Open return a store that keeps nothing.
func WithPersist(persist bool) Option { return func(o *options) { o.persist = persist } }

// WithSync(false) leaves it to the system when data reaches the disk: Flush and
// Close then promise to survive a crash of the program, not of the machine.
func WithSync(sync bool) Option { return func(o *options) { o.sync = sync } }

// OpenStore returns the store whose sessions are the folders of base, an
// absolute path, which is created when something is written. It never fails: a
// base that cannot be used is reported by the calls.
func OpenStore(base string, opts ...Option) *Store {
	o := options{now: time.Now, persist: true, sync: true}
	for _, set := range opts {
		set(&o)
	}
	s := &Store{
		base:    filepath.Clean(base),
		now:     o.now,
		noSync:  !o.sync,
		ops:     make(chan *op, queueLength),
		done:    make(chan struct{}),
		closing: make(chan struct{}),
	}
	switch {
	case !o.persist:
		s.broken = errors.New("a store that keeps nothing is a NoOpSessionStore, see Open")
	case !filepath.IsAbs(base):
		s.broken = fmt.Errorf("session store %.200q: not an absolute path", base)
	}
	return s
}

// Base returns the folder that holds the sessions' folders.
func (s *Store) Base() string { return s.base }

// Dir returns a session's folder, which need not exist; "" for what is no
// session ID.
func (s *Store) Dir(sessionID string) string {
	sid, err := id.ParseSessionID(sessionID)
	if err != nil {
		return ""
	}
	return filepath.Join(s.base, sid.String())
}

// An op is one append or update that was accepted, or a wait for those before.
type op struct {
	sid        id.SessionID
	messages   []byte // whole lines
	transcript []byte // whole lines
	tally      tally  // of messages
	update     func(*SessionMetadata)

	wait  chan error // of a wait: gets what went wrong
	flush bool       // of a wait: for Flush
}

// enqueue hands an op to the writer and reports whether it was accepted. It
// waits while the queue is full and the writer gets on. The error may be that of
// an earlier write which nobody was told of.
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

// send waits for room. Where the writer cannot write there will be none.
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

// settle waits until what was queued is written, and returns the error of a
// write that was not yet reported. Every call but an append begins with it.
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

// wait returns when the writer has done what was queued before, or cannot.
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
			if err == nil {
				return early
			}
			s.fault.take() // it is err
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
			if s.stuck.Load() { // with so much that not even this was looked at
				return s.fault.last()
			}
		}
	}
}

// Flush returns when everything that was appended before is on disk, whatever
// happens to the machine, and the metadata says so.
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

// Close implements [SessionStore]: it flushes and ends the writer. It reports
// everything that was lost, even if a call has said so before. Closing twice
// returns the same.
func (s *Store) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.ops)
		close(s.closing)
		s.start.Do(func() { close(s.done) }) // nothing was ever written
	}
	s.mu.Unlock()
	<-s.done
	if err := s.fault.final(); err != nil {
		return fmt.Errorf("close session store: %w", err)
	}
	return nil
}
