package queue

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// ErrAccepted is wrapped in the error of an append or update that the store accepted: the error
// is about writing this or an earlier one. The caller must not repeat it.
var ErrAccepted = errors.New("accepted, but not everything is written")

// Accepted marks err as the error of an accepted op.
func Accepted(err error) error {
	if err == nil || errors.Is(err, ErrAccepted) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrAccepted, err)
}

// Combine joins two errors in one line, and returns only one where it includes the other.
func Combine(a, b error) error {
	switch {
	case mentions(a, b):
		return a
	case mentions(b, a):
		return b
	}
	return fmt.Errorf("%w; %w", a, b)
}

// mentions reports whether the text of a includes that of b, or b is nil.
func mentions(a, b error) bool {
	return b == nil || a != nil && strings.Contains(a.Error(), b.Error())
}

// maxLost is how many losses an error lists one by one.
const maxLost = 20

// Faults keeps the errors of background writes until a call returns them.
type Faults struct {
	mu         sync.Mutex
	unreported error   // all errors that no call has returned, at most maxLost
	waiting    int     // the number of errors in unreported
	recent     error   // the newest error
	lost       []error // the first maxLost errors that lost an op for good
	lostCount  int     // the number of further losses
}

// Add records an error; lost says that the writer gave up the op.
func (f *Faults) Add(err error, lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recent = err
	if f.waiting < maxLost && !mentions(f.unreported, err) {
		f.unreported = Combine(f.unreported, err)
		f.waiting++
	}
	switch {
	case !lost:
	case len(f.lost) < maxLost:
		f.lost = append(f.lost, err)
	default:
		f.lostCount++
	}
}

// TakeUnreported returns the errors that no call has returned yet.
func (f *Faults) TakeUnreported() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.unreported
	f.unreported, f.waiting = nil, 0
	return err
}

func (f *Faults) last() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.recent
}

// final returns what Close reports.
func (f *Faults) final() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all error
	for _, err := range f.lost {
		all = Combine(all, err)
	}
	if f.lostCount > 0 {
		all = fmt.Errorf("%w; and %d more errors", all, f.lostCount)
	}
	if all == nil {
		return f.unreported
	}
	return all
}

// ErrClosed is returned by every call after Close.
var ErrClosed = errors.New("session store is closed")
