package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entire/internal/retention"
)

// ErrUsed is returned by [Store.Take] for a session that was used after the caller looked at
// it.
var ErrUsed = errors.New("it was used a moment ago")

// A Candidate is a session that a clean-up may move to the trash.
type Candidate struct {
	Metadata SessionMetadata
	retention.Session
}

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
		c := Candidate{m, retention.Session{Project: project, ID: m.ID, Begun: m.CreatedAt, Used: lastUse(m)}}
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

func lastUse(m SessionMetadata) time.Time {
	if m.EndedAt != nil && m.EndedAt.After(m.UpdatedAt) {
		return *m.EndedAt
	}
	return m.UpdatedAt
}

// Take moves a session to the trash, unless somebody used or restored it after c was made, or
// check returns an error. A nil check never objects.
func (s *Store) Take(ctx context.Context, c Candidate, check func() error) error {
	return s.DeleteIf(ctx, c.ID, func(m SessionMetadata) error {
		if m.MessageCount != c.Metadata.MessageCount || !lastUse(m).Equal(lastUse(c.Metadata)) {
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
