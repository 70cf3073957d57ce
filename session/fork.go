package session

import (
	"context"
	"fmt"

	"entire/id"
	"entire/session/internal/conversation"
	"entire/session/internal/queue"
)

// ForkContext is [Store.Fork] with a context.
func (s *Store) ForkContext(ctx context.Context, sourceID, newID string) (*Session, error) {
	return s.ForkAt(ctx, sourceID, newID, "")
}

// ForkAt makes the session newID, which continues after the message messageUUID of sourceID, or
// after its last message if that is "". The fork shares the messages up to there and copies
// none: neither session sees what is appended to the other, and either can be deleted. The fork
// shares the agent's own stream up to the record that the message came from.
func (s *Store) ForkAt(ctx context.Context, sourceID, newID, messageUUID string) (*Session, error) {
	err := s.refused()
	if err == nil {
		err = s.queue.AwaitWrites(ctx)
	}
	if err == nil {
		err = s.fork(ctx, sourceID, newID, messageUUID)
	}
	if err != nil {
		return nil, fmt.Errorf("fork session %.100s: %w", sourceID, err)
	}
	return s.LoadContext(ctx, newID)
}

// fork holds the source's lock: a failed append is cut off under it, so the shared bytes stay.
func (s *Store) fork(ctx context.Context, sourceID, newID, at string) error {
	target, err := id.ParseSessionID(newID)
	if err != nil {
		return err
	}
	sid, dir, release, err := s.queue.LockAll(ctx, sourceID)
	if err != nil {
		return err
	}
	defer release()
	meta, cut, err := conversation.ForkPoint(ctx, sid, dir, at)
	if err != nil {
		return err
	}
	meta.ID, meta.ParentID, meta.ForkPoint = target.String(), sid.String(), meta.LastMessage
	meta.CreatedAt = s.queue.Now().UTC()
	meta.UpdatedAt = meta.CreatedAt
	meta.ExitReason, meta.EndedAt, meta.Counted = "", nil, 0
	if !s.queue.NoSync { // another process may have written without syncing
		if err := queue.SyncSession(dir); err != nil {
			return err
		}
	}
	return s.queue.Build(target, func(child string) error {
		if err := cut.Share(dir, child); err != nil {
			return err
		}
		return conversation.WriteMetadata(child, meta, !s.queue.NoSync)
	})
}
