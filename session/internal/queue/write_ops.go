package queue

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"entire/id"
	"entire/internal/durable"
	"entire/session/internal/conversation"
	"entire/session/internal/layout"
	"entire/session/internal/log"
)

// writeOne writes the ops of one session. It clears what it wrote from the ops, so that a
// failed op can be tried again. It writes raw records before messages, because the code that
// feeds a session reads the messages to see how far it got.
func (w *writer) writeOne(sid id.SessionID, ops []*op) error {
	_, dir, l, err := w.Lock(sid.String())
	if err != nil {
		return err
	}
	defer l.Release()
	w.unsynced[sid] = true
	if lines := joinOps(ops, func(o *op) []byte { return o.transcript }); len(lines) > 0 {
		if _, err := log.AppendLines(filepath.Join(dir, layout.TranscriptName), lines); err != nil {
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
	lines := joinOps(ops, func(o *op) []byte { return o.messages })
	if len(lines) == 0 {
		return nil
	}
	if err := w.MarkBehind(sid); err != nil {
		return err
	}
	at, err := log.AppendLines(filepath.Join(dir, layout.MessagesName), lines)
	if err != nil {
		return err
	}
	r := w.outdated[sid]
	if r == nil || r.To != at {
		r = &conversation.WrittenRange{From: at}
		w.outdated[sid] = r
	}
	r.To = at + int64(len(lines))
	for _, o := range ops {
		r.Merge(&o.tally)
		o.messages, o.tally = nil, conversation.Tally{}
	}
	return nil
}

func joinOps(ops []*op, of func(*op) []byte) []byte {
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
	meta, damaged, err := conversation.ReadMetadata(dir, sid)
	if err != nil {
		return err
	}
	if damaged != nil {
		if err := durable.WriteFile(filepath.Join(dir, conversation.DamagedName), damaged, 0o600); err != nil {
			return err
		}
	}
	if err := conversation.UpdateCounts(layout.WithoutContext(), dir, &meta, w.outdated[sid]); err != nil {
		return err
	}
	for _, o := range ops {
		if o.update != nil {
			changeMetadata(&meta, o.update)
		}
	}
	if err := conversation.WriteMetadata(dir, meta, sync); err != nil {
		return err
	}
	delete(w.outdated, sid)
	w.UnmarkBehind(sid)
	return nil
}

// changeMetadata calls fn and then restores the fields that only the store sets.
func changeMetadata(meta *conversation.SessionMetadata, fn func(*conversation.SessionMetadata)) {
	was := *meta
	fn(meta)
	meta.ID, meta.MessageCount, meta.LastMessage, meta.Rewinds = was.ID, was.MessageCount, was.LastMessage, was.Rewinds
	meta.Unknown, meta.Counted = was.Unknown, was.Counted
}

// updateAllMetadata updates every metadata.json that counts fewer messages than its log has.
func (w *writer) updateAllMetadata(sync bool) error {
	var errs []error
	for sid := range w.outdated {
		_, dir, l, err := w.Lock(sid.String())
		if errors.Is(err, layout.ErrNotFound) {
			delete(w.outdated, sid)
			continue
		}
		if err == nil {
			err = w.updateMetadata(sid, dir, nil, sync)
			l.Release()
		}
		if err != nil {
			err = fmt.Errorf("update metadata of session %s: %w", sid, err)
			w.Fault.Add(err, false)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
