package queue

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"entire/id"
	"entire/session/internal/conversation"
	"entire/session/internal/layout"
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
	accepted []*op                                       // accepted ops, in order, that are not written yet
	outdated map[id.SessionID]*conversation.WrittenRange // sessions whose metadata.json lacks messages, and the range it lacks
	unsynced map[id.SessionID]bool                       // sessions that were written and not synced
	pausing  bool                                        // metadata was written, or a write failed, a moment ago
	timer    *time.Timer
}

// write runs the writer goroutine.
func (q *Queue) write() {
	defer close(q.done)
	w := &writer{
		Queue:    q,
		outdated: map[id.SessionID]*conversation.WrittenRange{},
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
	in := w.Ops
	if len(w.accepted) >= Length {
		in = nil // writes fail, perhaps on a full disk: callers wait, or get the error
	}
	select {
	case o, ok := <-in:
		if !ok {
			return false
		}
		w.accepted = append(w.accepted, o)
		w.drain()
		w.writeAccepted()
	case <-w.closing:
		return false
	case <-w.timer.C:
		w.pausing = false
		if len(w.accepted) > 0 {
			w.writeAccepted()
		}
	}
	if len(w.Ops) == 0 && !w.pausing && len(w.outdated) > 0 {
		w.updateAllMetadata(false)
		w.pause(metadataEvery)
	}
	if len(w.accepted) > 0 {
		w.pause(retryEvery)
	}
	return true
}

func (w *writer) pause(d time.Duration) {
	w.pausing = true
	w.timer.Reset(d)
}

// drain receives the queued ops, up to the length of the queue.
func (w *writer) drain() {
	for len(w.accepted) < Length {
		select {
		case o, ok := <-w.Ops:
			if !ok {
				return
			}
			w.accepted = append(w.accepted, o)
		default:
			return
		}
	}
}

// finish writes everything for Close. Ops that fail now are lost.
func (w *writer) finish() {
	for o := range w.Ops {
		w.accepted = append(w.accepted, o)
	}
	w.writeAccepted()
	if err := w.flush(!w.NoSync); err != nil {
		w.Fault.Add(err, true)
	}
	if n := len(w.accepted); n > 0 {
		w.Fault.Add(fmt.Errorf("%d appends and updates are lost: %w", n, w.Fault.last()), true)
	}
}

// writeAccepted writes the held ops, session by session, and answers waits.
func (w *writer) writeAccepted() {
	ops := w.accepted
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
	w.accepted = todo
	w.stuck.Store(len(todo) > 0)
}

// answer sends the result of a wait.
func (w *writer) answer(o *op, err error) {
	if o.flush {
		err = errors.Join(err, w.flush(!w.NoSync))
	}
	w.Pending.Add(-1)
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
		lost := errors.Is(err, layout.ErrNotFound)
		if err != nil {
			err = fmt.Errorf("append to session %s: %w", sid, err)
			w.Fault.Add(err, lost)
			errs = append(errs, err)
		}
		if err != nil && !lost {
			kept = append(kept, mine...)
		} else {
			w.Pending.Add(-int64(len(mine)))
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
