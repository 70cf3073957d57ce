package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entire/internal/retention"
	"entire/session/internal/conversation"
	"entire/session/internal/trash"
)

// Candidates returns all sessions with their files. It calls seen, which may be nil, with the
// number of sessions looked at and the number of all. A session that cannot be read has a Hold.
func (s *Store) Candidates(ctx context.Context, project string, seen func(done, all int)) ([]Candidate, error) {
	all, err := s.ListContext(ctx)
	if err != nil {
		return nil, err
	}
	restored := s.Restored()
	out := make([]Candidate, 0, len(all))
	for i, m := range all {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("look at the sessions: %w", err)
		}
		if seen != nil {
			seen(i, len(all))
		}
		c := Candidate{Metadata: m, Session: retention.Session{Project: project, ID: m.ID, Begun: m.CreatedAt, Used: conversation.LastUsed(m)}}
		c.Files, err = s.FilesOnDisk(ctx, m.ID)
		switch {
		case errors.Is(err, ErrNotFound):
			continue
		case err != nil:
			c.Hold = err.Error()
		}
		if at, was := restored[m.ID]; was { // its age counts from the day it was restored
			c.Begun = at
			if at.After(c.Used) {
				c.Used = at
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// TrashUnused moves a session to the trash, unless somebody used or restored it after c was made, or
// check returns an error. A nil check never objects.
func (s *Store) TrashUnused(ctx context.Context, c Candidate, check func() error) error {
	return s.DeleteIf(ctx, c.ID, func(m SessionMetadata) error {
		if m.MessageCount != c.Metadata.MessageCount || !conversation.LastUsed(m).Equal(conversation.LastUsed(c.Metadata)) {
			return ErrUsed
		}
		if at, was := s.Restored()[c.ID]; was && !at.Equal(c.Begun) {
			return ErrUsed
		}
		if check == nil {
			return nil
		}
		return check()
	})
}

// DeleteContext is [Store.Delete] with a context.
func (s *Store) DeleteContext(ctx context.Context, sessionID string) error {
	return trash.Delete(ctx, s.queue, sessionID)
}

// DeleteIf is DeleteContext if check returns nil. check gets the present metadata and runs
// under the session's lock; it must not call the store. DeleteIf returns an error of check
// unchanged, and the session stays.
func (s *Store) DeleteIf(ctx context.Context, sessionID string, check func(SessionMetadata) error) error {
	return trash.DeleteIf(ctx, s.queue, sessionID, check)
}

// Trash returns the deleted sessions, the last deleted first.
func (s *Store) Trash(ctx context.Context) ([]Trashed, error) { return trash.List(ctx, s.queue) }

// Undelete restores a deleted session, the last deleted one if several had that ID. It returns
// ErrNotFound if the trash has none, and ErrExists if a session of that ID exists again.
func (s *Store) Undelete(ctx context.Context, sessionID string) error {
	return trash.Undelete(ctx, s.queue, sessionID)
}

// ExpireTrash permanently removes what has been in the trash for longer than grace, by the
// rules of [retention.Expire]: never when it is first found expired. A second call waits for
// the first. It also finishes removals that a killed call began; those sessions cannot be
// restored.
func (s *Store) ExpireTrash(ctx context.Context, grace time.Duration) (Gone, error) {
	return trash.Expire(ctx, s.queue.Base, grace)
}

// EmptyTrash permanently removes everything in the trash at once.
func (s *Store) EmptyTrash(ctx context.Context) (Gone, error) {
	return trash.Empty(ctx, s.queue.Base, func(items []retention.Item) ([]retention.Item, error) { return items, nil })
}
