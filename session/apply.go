package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"entire/id"
	"entire/internal/durable"
)

// lockWait bounds how long a write waits for a session's lock before the writer puts it off.
const lockWait = 10 * time.Second

// lock takes the lock of a session that exists. It guards the files of the session's folder:
// the ends of the logs, and metadata.json. No caller holds the locks of two sessions; a caller
// that also needs the lock of the session's files (files.lock) takes that one second.
func (b *Base) lock(sessionID string) (sid id.SessionID, dir string, l *durable.Lock, err error) {
	if sid, dir, err = b.existing(sessionID); err != nil {
		return sid, "", nil, err
	}
	l, err = durable.AcquireWithin(filepath.Join(dir, sessionLock), lockWait)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sid, "", nil, err
	}
	// While lock waited, another process may have deleted the session.
	if _, _, gone := b.existing(sessionID); gone != nil {
		if l != nil && errors.Is(gone, ErrNotFound) { // the lock file made the folder again
			l.Discard()
			os.Remove(dir)
		}
		l.Release()
		return sid, "", nil, gone
	}
	return sid, dir, l, err
}

// writeOne writes the ops of one session. It clears what it wrote from the ops, so that a
// failed op can be tried again. It writes raw records before messages, because the code that
// feeds a session reads the messages to see how far it got.
func (w *writer) writeOne(sid id.SessionID, ops []*op) error {
	_, dir, l, err := w.lock(sid.String())
	if err != nil {
		return err
	}
	defer l.Release()
	w.unsynced[sid] = true
	if lines := joined(ops, func(o *op) []byte { return o.transcript }); len(lines) > 0 {
		if _, err := appendLines(filepath.Join(dir, transcriptName), lines); err != nil {
			return err
		}
	}
	for _, o := range ops {
		o.transcript = nil
	}
	if err := w.writeMessages(sid, dir, ops); err != nil {
		return err
	}
	if slices.ContainsFunc(ops, func(o *op) bool { return o.update != nil }) {
		return w.updateMetadata(sid, dir, ops, false)
	}
	return nil
}

func (w *writer) writeMessages(sid id.SessionID, dir string, ops []*op) error {
	lines := joined(ops, func(o *op) []byte { return o.messages })
	if len(lines) == 0 {
		return nil
	}
	if err := w.mark(sid); err != nil {
		return err
	}
	at, err := appendLines(filepath.Join(dir, messagesName), lines)
	if err != nil {
		return err
	}
	r := w.behind[sid]
	if r == nil || r.to != at {
		r = &run{from: at}
		w.behind[sid] = r
	}
	r.to = at + int64(len(lines))
	for _, o := range ops {
		r.merge(&o.tally)
		o.messages, o.tally = nil, tally{}
	}
	return nil
}

func joined(ops []*op, of func(*op) []byte) []byte {
	if len(ops) == 1 {
		return of(ops[0])
	}
	n := 0
	for _, o := range ops {
		n += len(of(o))
	}
	out := make([]byte, 0, n)
	for _, o := range ops {
		out = append(out, of(o)...)
	}
	return out
}

// updateMetadata writes metadata.json with the counts of all messages and the updates of ops
// applied. The caller holds the lock.
func (w *writer) updateMetadata(sid id.SessionID, dir string, ops []*op, sync bool) error {
	meta, damaged, err := readMetadata(dir, sid)
	if err != nil {
		return err
	}
	if damaged != nil {
		if err := durable.WriteFile(filepath.Join(dir, damagedName), damaged, 0o600); err != nil {
			return err
		}
	}
	if err := catchUp(withoutContext(), dir, &meta, w.behind[sid]); err != nil {
		return err
	}
	for _, o := range ops {
		if o.update != nil {
			changeMetadata(&meta, o.update)
		}
	}
	if err := writeMetadata(dir, meta, sync); err != nil {
		return err
	}
	delete(w.behind, sid)
	w.unmark(sid)
	return nil
}

// changeMetadata calls fn and then restores the fields that only the store sets.
func changeMetadata(meta *SessionMetadata, fn func(*SessionMetadata)) {
	was := *meta
	fn(meta)
	meta.ID, meta.MessageCount, meta.LastMessage, meta.Rewinds = was.ID, was.MessageCount, was.LastMessage, was.Rewinds
	meta.unknown, meta.counted = was.unknown, was.counted
}

// keepUp updates every metadata.json that counts fewer messages than its log has.
func (w *writer) keepUp(sync bool) error {
	var errs []error
	for sid := range w.behind {
		_, dir, l, err := w.lock(sid.String())
		if errors.Is(err, ErrNotFound) {
			delete(w.behind, sid)
			continue
		}
		if err == nil {
			err = w.updateMetadata(sid, dir, nil, sync)
			l.Release()
		}
		if err != nil {
			err = fmt.Errorf("update metadata of session %s: %w", sid, err)
			w.fault.add(err, false)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
