package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"entire/id"
	"entire/session/internal/layout"
)

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

// UpdateMetadataContext is [Store.UpdateMetadata] with a context; while the queue is full, the
// call waits until ctx ends.
func (s *Store) UpdateMetadataContext(ctx context.Context, sessionID string, fn func(*SessionMetadata)) error {
	sid, err := id.ParseSessionID(sessionID)
	if err == nil {
		err = s.queue.Update(ctx, sid, fn)
	}
	if err != nil {
		return fmt.Errorf("update session %.100s: %w", sessionID, err)
	}
	return nil
}

// SessionWriter appends records to the transcript of one session. Several
// goroutines may use one, and several processes a session.
type SessionWriter struct {
	store *Store
	sid   string

	mu     sync.Mutex
	closed bool
}

// Writer returns a SessionWriter of a session; ErrNotFound if there is none.
func (s *Store) Writer(ctx context.Context, sessionID string) (*SessionWriter, error) {
	err := s.queue.AwaitWrites(ctx)
	if err == nil {
		_, _, err = s.queue.Existing(sessionID)
	}
	if err != nil {
		return nil, fmt.Errorf("write to session %.100s: %w", sessionID, err)
	}
	return &SessionWriter{store: s, sid: sessionID}, nil
}

// Append queues one record, without a newline, for transcript.jsonl. It is stored byte for
// byte; a record with a newline is refused.
func (w *SessionWriter) Append(data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return ErrClosed
	}
	if slices.Contains(data, '\n') {
		return fmt.Errorf("append to session %s: %w", w.sid, errors.New("a record has several lines"))
	}
	return w.store.AppendBatch(layout.WithoutContext(), w.sid, Batch{Raw: append(slices.Clone(data), '\n')})
}

// Close returns when everything is on disk. The store stays open.
func (w *SessionWriter) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	return w.store.Flush(layout.WithoutContext())
}
