package watch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire/internal/durable"
)

// The files of a watch, in the folder of the worktree's own state.
const (
	lockName  = "watch.lock"
	stateName = "watch.json"
	stopName  = "watch.stop"
)

// The ways to notice a change.
const (
	ByEvents = "events"
	ByPoll   = "poll"
)

// maxState bounds the file that is read.
const maxState = 1 << 20

// A State is what a watch says about itself.
type State struct {
	Running bool      `json:"running"`
	PID     int       `json:"pid,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	Way     string    `json:"way,omitempty"`      // ByEvents or ByPoll
	Why     string    `json:"why_poll,omitempty"` // it does not use events
	Folders int       `json:"folders,omitempty"`  // that are watched
	Steps   int       `json:"steps"`              // made since then
	Bytes   int64     `json:"bytes"`
	Last    string    `json:"last_step,omitempty"`
	LastAt  time.Time `json:"last_at,omitzero"`
	Waits   string    `json:"waits,omitempty"` // why what has changed is not saved yet
	Error   string    `json:"error,omitempty"` // of the last save
	Ended   string    `json:"ended,omitempty"` // why the last watch ended, "" if it was killed or could not write that

	Kept []Kept `json:"kept,omitempty"` // for the limits of an hour
}

// Status returns what the watch whose files are in dir says about itself; a zero State if there was none.
func Status(dir string) (State, error) {
	var st State
	data, err := durable.Read(filepath.Join(dir, stateName), maxState)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	} else if err == nil && json.Unmarshal(data, &st) != nil {
		st = State{} // another process's own record; the next watch writes it anew
	}
	st.Running = held(dir)
	return st, err
}

// held reports whether a process watches.
func held(dir string) bool {
	path := filepath.Join(dir, lockName)
	if _, err := os.Lstat(path); err != nil {
		return false
	}
	lock, err := durable.AcquireWithin(path, 0)
	if err == nil {
		lock.Release()
	}
	return errors.Is(err, durable.ErrHeld)
}

// RequestStop asks the watch whose files are in dir to end. Wait waits for that.
func RequestStop(dir string) error {
	return durable.WriteCache(filepath.Join(dir, stopName), nil, 0o600)
}

// write stores the state. It is for people: a full disk does not end the watch.
func (w *watch) write() {
	if _, err := os.Stat(w.Dir); err != nil {
		return // the worktree is gone, and nothing of it is made anew
	}
	w.state.Kept = w.pace.kept
	if data, err := json.MarshalIndent(w.state, "", "  "); err == nil && !bytes.Equal(data, w.written) {
		w.written = data
		_ = durable.WriteCache(filepath.Join(w.Dir, stateName), data, 0o600)
	}
}
