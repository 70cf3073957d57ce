package queue

import (
	"context"
	"errors"
	"fmt"

	"entire/id"
	"entire/session/internal/conversation"
	"entire/session/internal/log"
)

// A Batch is what one call appends to a session. It is written in this order, and no other
// caller's lines come in between.
type Batch struct {
	Messages []conversation.Message
	SDK      []conversation.SDKMessage
	Raw      []byte // whole lines for transcript.jsonl, written after SDK and byte for byte
	// Update changes the metadata together with the append, as UpdateMetadata does; nil changes
	// nothing.
	Update func(*conversation.SessionMetadata)
}

// AppendBatch queues messages and records. The caller may change the batch once AppendBatch has
// returned. An error that is ErrAccepted reports an earlier write: this batch is queued.
func (q *Queue) AppendBatch(ctx context.Context, sessionID string, b Batch) error {
	o, err := NewOp(sessionID, b)
	if err == nil && (len(o.messages)+len(o.transcript) > 0 || o.update != nil) {
		err = q.accept(ctx, o)
	}
	if err != nil {
		return fmt.Errorf("append to session %.100s: %w", sessionID, err)
	}
	return nil
}

// NewOp checks a batch and encodes its lines.
func NewOp(sessionID string, b Batch) (*op, error) {
	sid, err := id.ParseSessionID(sessionID)
	if err != nil {
		return nil, err
	}
	o := &op{sid: sid, update: b.Update, messages: make([]byte, 0, estimateSize(b.Messages))}
	for i := range b.Messages {
		if o.messages, err = conversation.AppendLine(o.messages, &b.Messages[i]); err != nil {
			return nil, err
		}
		o.tally.Add(&b.Messages[i])
	}
	for _, m := range b.SDK {
		if !log.IsJSON(m) {
			return nil, errors.New("a record is not JSON")
		}
		o.transcript = append(append(o.transcript, conversation.OneLine(m)...), '\n')
	}
	o.transcript = append(o.transcript, b.Raw...)
	if n := len(o.transcript); n > 0 && o.transcript[n-1] != '\n' {
		o.transcript = append(o.transcript, '\n')
	}
	return o, nil
}

// estimateSize estimates how many bytes the lines of messages take.
func estimateSize(list []conversation.Message) (n int) {
	for i := range list {
		n += 512 + len(list[i].Content)*9/8
		for _, c := range list[i].ToolCalls {
			n += 128 + len(c.Input)
		}
	}
	return n
}
