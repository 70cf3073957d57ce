package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"entire/session/internal/layout"
	"entire/session/internal/queue"
)

// Store keeps conversations on disk, a folder for each; docs/format.md has the layout. It is a
// [SessionStore] and a [Reader]. Each documented method that may wait has a variant that takes
// a context.
//
// One goroutine does the writing. The first append or update starts it, and Close ends it. Any
// number of goroutines and processes may use the same sessions: lines are whole, and each
// caller's stay in order. Reading takes no lock.
//
// An append soon survives a crash of this program, at the latest when Flush, Close, or a call
// that reads through the same store returns. After Flush and Close it also survives a crash of
// the machine.
type Store struct {
	queue *queue.Queue
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

// WithClock sets the clock of the times that the store writes.
func WithClock(now func() time.Time) Option { return func(o *options) { o.now = now } }

// WithPersist(false) makes Open return a store that keeps nothing.
func WithPersist(persist bool) Option { return func(o *options) { o.persist = persist } }

// WithSync(false) leaves it to the system when data reaches the disk: what Flush and Close
// write then survives a crash of the program, but not of the machine.
func WithSync(sync bool) Option { return func(o *options) { o.sync = sync } }

// OpenStore returns the store whose sessions are the folders of base, an absolute path, which
// is created when something is written. It never fails: the calls report a base that cannot be
// used.
func OpenStore(base string, opts ...Option) *Store {
	o := options{now: time.Now, persist: true, sync: true}
	for _, set := range opts {
		set(&o)
	}
	q := queue.New(&layout.Base{Path: filepath.Clean(base), Now: o.now, NoSync: !o.sync})
	switch {
	case !o.persist:
		q.Broken = errors.New("a store that keeps nothing is a NoOpSessionStore, see Open")
	case !filepath.IsAbs(base):
		q.Broken = fmt.Errorf("session store %.200q: not an absolute path", base)
	}
	return &Store{queue: q}
}

// Base returns the folder that holds the sessions' folders.
func (s *Store) Base() string { return s.queue.Path }

// Dir returns a session's folder, which need not exist; "" if sessionID is not a session ID.
func (s *Store) Dir(sessionID string) string { return s.queue.Dir(sessionID) }

// Restored returns, by ID, when each session was restored from the trash, if it was and still
// exists.
func (s *Store) Restored() map[string]time.Time { return s.queue.Restored() }

// AppendBatch queues messages and records. The caller may change the batch once AppendBatch has
// returned. An error that is ErrAccepted reports an earlier write: this batch is queued.
func (s *Store) AppendBatch(ctx context.Context, sessionID string, b Batch) error {
	if err := s.refused(); err != nil {
		return fmt.Errorf("append to session %.100s: %w", sessionID, err)
	}
	return s.queue.AppendBatch(ctx, sessionID, b)
}

// Flush returns when everything that was appended before would survive a crash of the machine,
// and the metadata counts it.
func (s *Store) Flush(ctx context.Context) error { return s.queue.Flush(ctx) }

// Close implements [SessionStore]: it flushes and ends the writer. It returns the errors of
// everything that was lost, even if a call has returned them before. A second Close returns the
// same.
func (s *Store) Close() error { return s.queue.Close() }
