package session

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// ErrAccepted is in the error of an append or update that was accepted: what is
// reported went wrong with the writing, of this one or of an earlier one. It is
// not to be made again.
var ErrAccepted = errors.New("accepted, but not everything is written")

// accepted marks the error of an op that was accepted.
func accepted(err error) error {
	if err == nil || errors.Is(err, ErrAccepted) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrAccepted, err)
}

// both is two errors in one line, or the one there is, or that says the other too.
func both(a, b error) error {
	switch {
	case says(a, b):
		return a
	case says(b, a):
		return b
	}
	return fmt.Errorf("%w; %w", a, b)
}

// says reports whether b is no news to who reads a.
func says(a, b error) bool {
	return b == nil || a != nil && strings.Contains(a.Error(), b.Error())
}

// maxLost is how many losses are told one by one.
const maxLost = 20

// faults keeps what went wrong in the background until somebody is told.
type faults struct {
	mu         sync.Mutex
	unreported error   // all of it, of the first maxLost
	waiting    int     // that are in unreported
	recent     error   // the newest
	lost       []error // those by which something was lost for good, the first maxLost
	more       int     // that were lost besides
}

// add records an error; lost says that the op is given up.
func (f *faults) add(err error, lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recent = err
	if f.waiting < maxLost && !says(f.unreported, err) {
		f.unreported = both(f.unreported, err)
		f.waiting++
	}
	switch {
	case !lost:
	case len(f.lost) < maxLost:
		f.lost = append(f.lost, err)
	default:
		f.more++
	}
}

// take returns what nobody was told yet.
func (f *faults) take() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.unreported
	f.unreported, f.waiting = nil, 0
	return err
}

func (f *faults) last() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.recent
}

// final is what Close reports.
func (f *faults) final() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all error
	for _, err := range f.lost {
		all = both(all, err)
	}
	if f.more > 0 {
		all = fmt.Errorf("%w; and %d more errors", all, f.more)
	}
	if all == nil {
		return f.unreported
	}
	return all
}
