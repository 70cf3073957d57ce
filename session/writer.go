package session

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"entire/id"
)

const (
	// metadataEvery is how long metadata.json may lag behind the messages.
	metadataEvery = 250 * time.Millisecond
	// retryEvery is how long the writer waits after a write that failed.
	retryEvery = 250 * time.Millisecond
)

// A writer is the state of a store's writer goroutine.
type writer struct {
	*Queue
	held     []*op                 // accepted ops, in order, that are not written yet
	behind   map[id.SessionID]*run // sessions whose metadata.json lacks messages, and the range it lacks
	unsynced map[id.SessionID]bool // sessions that were written and not synced
	resting  bool                  // metadata was written, or a write failed, a moment ago
	timer    *time.Timer
}

// write runs the writer goroutine.
func (q *Queue) write() {
	defer close(q.done)
	w := &writer{
		Queue:    q,
		behind:   map[id.SessionID]*run{},
		unsynced: map[id.SessionID]bool{},
		timer:    time.NewTimer(time.Hour),
	}
	defer w.timer.Stop()
	for w.round() {
	}
	w.finish()
}

// round waits for ops and writes them. It reports whether there will be more.
func (w *writer) round() bool {
	in := w.ops
	if len(w.held) >= queueLength {
		in = nil // writes fail, perhaps on a full disk: callers wait, or get the error
	}
	select {
	case o, ok := <-in:
		if !ok {
			return false
		}
		w.held = append(w.held, o)
		w.drain()
		w.work()
	case <-w.closing:
		return false
	case <-w.timer.C:
		w.resting = false
		if len(w.held) > 0 {
			w.work()
		}
	}
	if len(w.ops) == 0 && !w.resting && len(w.behind) > 0 {
		w.keepUp(false)
		w.rest(metadataEvery)
	}
	if len(w.held) > 0 {
		w.rest(retryEvery)
	}
	return true
}

func (w *writer) rest(d time.Duration) {
	w.resting = true
	w.timer.Reset(d)
}

// drain receives the queued ops, up to the length of the queue.
func (w *writer) drain() {
	for len(w.held) < queueLength {
		select {
		case o, ok := <-w.ops:
			if !ok {
				return
			}
			w.held = append(w.held, o)
		default:
			return
		}
	}
}

// finish writes everything for Close. Ops that fail now are lost.
func (w *writer) finish() {
	for o := range w.ops {
		w.held = append(w.held, o)
	}
	w.work()
	if err := w.flush(!w.noSync); err != nil {
		w.fault.add(err, true)
	}
	if n := len(w.held); n > 0 {
		w.fault.add(fmt.Errorf("%d appends and updates are lost: %w", n, w.fault.last()), true)
	}
}

// work writes the held ops, session by session, and answers waits.
func (w *writer) work() {
	ops := w.held
	var todo []*op
	for len(ops) > 0 {
		n := slices.IndexFunc(ops, func(o *op) bool { return o.wait != nil })
		if n < 0 {
			todo, _ = w.writeAll(append(todo, ops...))
			break
		}
		var err error
		todo, err = w.writeAll(append(todo, ops[:n]...))
		w.answer(ops[n], err)
		ops = ops[n+1:]
	}
	w.held = todo
	w.stuck.Store(len(todo) > 0)
}

// answer sends the result of a wait.
func (w *writer) answer(o *op, err error) {
	if o.flush {
		err = errors.Join(err, w.flush(!w.noSync))
	}
	w.pending.Add(-1)
	o.wait <- err
}

// writeAll writes ops. It returns those that must be tried again, and the errors, which it also
// records.
func (w *writer) writeAll(ops []*op) (kept []*op, _ error) {
	var errs []error
	for _, sid := range sessionsOf(ops) {
		var mine []*op
		for _, o := range ops {
			if o.sid == sid {
				mine = append(mine, o)
			}
		}
		err := w.writeOne(sid, mine)
		lost := errors.Is(err, ErrNotFound)
		if err != nil {
			err = fmt.Errorf("append to session %s: %w", sid, err)
			w.fault.add(err, lost)
			errs = append(errs, err)
		}
		if err != nil && !lost {
			kept = append(kept, mine...)
		} else {
			w.pending.Add(-int64(len(mine)))
		}
	}
	return kept, errors.Join(errs...)
}

// sessionsOf returns the sessions of ops in the order in which they appear.
func sessionsOf(ops []*op) []id.SessionID {
	var list []id.SessionID
	for _, o := range ops {
		if !slices.Contains(list, o.sid) {
			list = append(list, o.sid)
		}
	}
	return list
}
