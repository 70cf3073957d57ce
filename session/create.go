package session

import (
	"context"
	"fmt"

	"entire/id"
	"entire/session/internal/conversation"
)

// CreateContext is [Store.Create] with a context.
func (s *Store) CreateContext(ctx context.Context, meta SessionMetadata) error {
	err := s.refused()
	if err == nil {
		err = s.queue.AwaitWrites(ctx)
	}
	if err == nil {
		err = s.create(meta)
	}
	if err != nil {
		return fmt.Errorf("create session %.100s: %w", meta.ID, err)
	}
	return nil
}

func (s *Store) create(meta SessionMetadata) error {
	sid, err := id.ParseSessionID(meta.ID)
	if err != nil {
		return err
	}
	if meta.CreatedAt.IsZero() {
		meta.CreatedAt = s.queue.Now().UTC()
	}
	if meta.UpdatedAt.IsZero() {
		meta.UpdatedAt = meta.CreatedAt
	}
	meta.MessageCount, meta.LastMessage, meta.Counted = 0, "", 0
	return s.queue.Build(sid, func(dir string) error {
		return conversation.WriteMetadata(dir, meta, !s.queue.NoSync)
	})
}
