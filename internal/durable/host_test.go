package durable

import (
	"errors"
	"io/fs"
	"testing"
	"time"
)

var errSharing = errors.New("another process has the file open")

// windowsLike is a file as Windows has it: it can be opened and replaced only while no other process excludes that.
type windowsLike struct {
	heldFor time.Duration // by another process
	slept   time.Duration
	tries   int
}

func (w *windowsLike) host() host {
	return host{busy: func(err error) bool { return errors.Is(err, errSharing) }, sleep: func(d time.Duration) { w.slept += d }}
}

func (w *windowsLike) use() error {
	w.tries++
	if w.slept < w.heldFor {
		return &fs.PathError{Op: "open", Path: "file", Err: errSharing}
	}
	return nil
}

func TestABusyFileIsTriedAgain(t *testing.T) {
	for _, held := range []time.Duration{0, time.Millisecond, 50 * time.Millisecond, 900 * time.Millisecond} {
		w := &windowsLike{heldFor: held}
		if err := w.host().patiently(w.use); err != nil || held == 0 && w.tries != 1 {
			t.Errorf("held for %v: %v after %d tries", held, err, w.tries)
		}
	}
}

func TestAFileThatStaysBusyIsGivenUp(t *testing.T) {
	w := &windowsLike{heldFor: time.Hour}
	if err := w.host().patiently(w.use); !errors.Is(err, errSharing) || w.slept > 2*patience {
		t.Errorf("%v after %v", err, w.slept)
	}
}

func TestWhatFailsForGoodIsNotTriedAgain(t *testing.T) {
	w, tries := &windowsLike{}, 0
	err := w.host().patiently(func() error { tries++; return fs.ErrNotExist })
	if !errors.Is(err, fs.ErrNotExist) || tries != 1 {
		t.Errorf("%v after %d tries", err, tries)
	}
}
