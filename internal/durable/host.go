package durable

import "time"

// A host is what differs between systems when several processes use one file.
type host struct {
	// busy reports whether an error says that another process has the file open in a way which excludes this one, so
	// that the same may succeed a moment later. Windows says so when a file is opened while it is replaced, and when
	// it is replaced while a reader has it open; other systems never do.
	busy  func(error) bool
	sleep func(time.Duration)
}

// patience is how long a busy file is tried again, and longestWait the time between two tries at most.
const (
	patience    = time.Second
	longestWait = 16 * time.Millisecond
)

// here is the system that this program runs on.
func here() host { return host{busy: busy, sleep: time.Sleep} }

// patiently calls act until it succeeds or fails for good, and returns its last error.
func (h host) patiently(act func() error) error {
	err := act()
	wait, waited := time.Millisecond, time.Duration(0)
	for err != nil && waited < patience && h.busy(err) {
		h.sleep(wait)
		waited += wait
		wait = min(2*wait, longestWait)
		err = act()
	}
	return err
}
