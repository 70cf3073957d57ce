package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"entire/id"
)

// queueLength is how many appends and updates a store accepts before it has written the first
// of them.
const queueLength = 256

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
	base   string
	now    func() time.Time
	noSync bool
	broken error // why the store cannot be used; every call returns it

	// mu is held for reading while an op is sent, and for writing by Close.
	mu      sync.RWMutex
	closed  bool
	ops     chan *op
	closing chan struct{} // closed by Close
	start   sync.Once
	done    chan struct{} // closed when the writer goroutine has ended
	pending atomic.Int64  // accepted ops that are neither written nor given up
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

// Dir returns a session's folder, which need not exist; "" if sessionID is not a session ID.
func (s *Store) Dir(sessionID string) string {
	sid, err := id.ParseSessionID(sessionID)
	if err != nil {
		return ""
	}
	return filepath.Join(s.base, sid.String())
}
