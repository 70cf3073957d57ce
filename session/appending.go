package session

import (
	"context"
	"errors"
	"fmt"

	"entire/id"
)

// A Batch is what one call appends to a session. It is written in this order, and no other
// caller's lines come in between.
type Batch struct {
	Messages []Message
	SDK      []SDKMessage
	Raw      []byte // whole lines for transcript.jsonl, written after SDK and byte for byte
	// Update changes the metadata together with the append, as UpdateMetadata does; nil changes
	// nothing.
	Update func(*SessionMetadata)
}

// AppendMessageContext is [Store.AppendMessage] with a context; while the queue is full, the
// call waits until ctx ends.
func (s *Store) AppendMessageContext(ctx context.Context, sessionID string, msg Message) error {
	return s.AppendBatch(ctx, sessionID, Batch{Messages: []Message{msg}})
}

// AppendSDKMessageContext is [Store.AppendSDKMessage] with a context; while the queue is full,
// the call waits until ctx ends.
func (s *Store) AppendSDKMessageContext(ctx context.Context, sessionID string, msg SDKMessage) error {
	return s.AppendBatch(ctx, sessionID, Batch{SDK: []SDKMessage{msg}})
}

// AppendBatch queues messages and records. The caller may change the batch once AppendBatch has
// returned. An error that is ErrAccepted reports an earlier write: this batch is queued.
func (q *Queue) AppendBatch(ctx context.Context, sessionID string, b Batch) error {
	o, err := newOp(sessionID, b)
	if err == nil && (len(o.messages)+len(o.transcript) > 0 || o.update != nil) {
		err = q.accept(ctx, o)
	}
	if err != nil {
		return fmt.Errorf("append to session %.100s: %w", sessionID, err)
	}
	return nil
}

func newOp(sessionID string, b Batch) (*op, error) {
	sid, err := id.ParseSessionID(sessionID)
	if err != nil {
		return nil, err
	}
	o := &op{sid: sid, update: b.Update, messages: make([]byte, 0, roughly(b.Messages))}
	for i := range b.Messages {
		if o.messages, err = appendLine(o.messages, &b.Messages[i]); err != nil {
			return nil, err
		}
		o.tally.add(&b.Messages[i])
	}
	for _, m := range b.SDK {
		if !isJSON(m) {
			return nil, errors.New("a record is not JSON")
		}
		o.transcript = append(append(o.transcript, oneLine(m)...), '\n')
	}
	o.transcript = append(o.transcript, b.Raw...)
	if n := len(o.transcript); n > 0 && o.transcript[n-1] != '\n' {
		o.transcript = append(o.transcript, '\n')
	}
	return o, nil
}

// roughly estimates how many bytes the lines of messages take.
func roughly(list []Message) (n int) {
	for i := range list {
		n += 512 + len(list[i].Content)*9/8
		for _, c := range list[i].ToolCalls {
			n += 128 + len(c.Input)
		}
	}
	return n
}

// UpdateMetadataContext is [Store.UpdateMetadata] with a context; while the queue is full, the
// call waits until ctx ends.
func (s *Store) UpdateMetadataContext(ctx context.Context, sessionID string, fn func(*SessionMetadata)) error {
	sid, err := id.ParseSessionID(sessionID)
	if err == nil {
		err = s.queue.update(ctx, sid, fn)
	}
	if err != nil {
		return fmt.Errorf("update session %.100s: %w", sessionID, err)
	}
	return nil
}
