package session

import "sync"

// faults keeps what went wrong in the background until somebody is told.
type faults struct {
	mu         sync.Mutex
	unreported error
	recent     error // the newest
	lost       error // the first by which something was lost for good
}

// add records an error; lost says that the op is given up.
func (f *faults) add(err error, lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unreported, f.recent = err, err
	if lost && f.lost == nil {
		f.lost = err
	}
}

// take returns what nobody was told yet.
func (f *faults) take() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.unreported
	f.unreported = nil
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
	if f.lost != nil {
		return f.lost
	}
	return f.unreported
}
