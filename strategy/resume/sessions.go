package resume

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/id"
	"entire/session"
	"entire/strategy/sessionstate"
)

// Session is one conversation with an agent, and its checkpoints.
type Session struct {
	ID          string
	Description string // its first prompt in one line, or ""
	Intent      string // what its first summary says was wanted, or ""
	Strategy    string // of its latest checkpoint; the current strategy if it has none
	StartTime   time.Time
	Checkpoints []Checkpoint // oldest first; none before the first commit

	intended time.Time // the time of the checkpoint whose summary has Intent
}

// Checkpoint is one session's part of a checkpoint on the metadata branch.
type Checkpoint struct {
	CheckpointID     id.CheckpointID
	Message          string // subject of the commit that names it; if no commit does, the last prompt
	Timestamp        time.Time
	IsTaskCheckpoint bool   // made by a subagent
	ToolUseID        string // only for a task checkpoint
}

// ErrNoSession is returned by FindSession when no session has the ID.
var ErrNoSession = session.ErrNotFound

// AmbiguousSessionError is returned by FindSession when several session IDs begin with the given
// prefix.
type AmbiguousSessionError struct {
	Prefix string
	IDs    []string // sorted
}

func (e *AmbiguousSessionError) Error() string {
	return fmt.Sprintf("ambiguous session prefix %q matches %d sessions: %s", e.Prefix, len(e.IDs), strings.Join(e.IDs, ", "))
}

// Sessions lists the sessions of the repository, the latest begun first: sessions with
// checkpoints on the metadata branch, and sessions without a checkpoint.
func Sessions(ctx context.Context, s *sessionstate.Env) ([]Session, error) {
	return OpenStoredSessions(s).Sessions(ctx)
}

// Sessions is the function Sessions, which reads again only what has changed since the last call.
func (c *StoredSessions) Sessions(ctx context.Context) ([]Session, error) {
	byID := map[string]*Session{}
	if err := c.addStoredSessions(ctx, byID); err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	more, err := LocalSessions(ctx, c.s)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	for _, m := range more {
		if have := byID[m.ID]; have == nil {
			byID[m.ID] = m
		} else {
			if m.StartTime.After(have.StartTime) { // it was continued here, and began elsewhere
				continue
			}
			have.StartTime = m.StartTime // a checkpoint does not record when its session began
			have.Description = cmp.Or(m.Description, have.Description)
		}
	}
	out := make([]Session, 0, len(byID))
	for _, one := range byID {
		slices.SortStableFunc(one.Checkpoints, func(a, b Checkpoint) int { return a.Timestamp.Compare(b.Timestamp) })
		out = append(out, *one)
	}
	slices.SortFunc(out, func(a, b Session) int {
		return cmp.Or(b.StartTime.Compare(a.StartTime), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// FindSession finds the session whose ID equals prefix, or the only one whose ID begins with it.
// Otherwise the error is [ErrNoSession] or an [*AmbiguousSessionError].
func FindSession(ctx context.Context, s *sessionstate.Env, prefix string) (*Session, error) {
	all, err := Sessions(ctx, s)
	if err != nil {
		return nil, err
	}
	var found []Session
	for _, one := range all {
		if one.ID == prefix {
			return &one, nil
		}
		if prefix != "" && strings.HasPrefix(one.ID, prefix) {
			found = append(found, one)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("%w: %s", ErrNoSession, prefix)
	case 1:
		return &found[0], nil
	}
	e := &AmbiguousSessionError{Prefix: prefix}
	for _, one := range found {
		e.IDs = append(e.IDs, one.ID)
	}
	slices.Sort(e.IDs)
	return nil, e
}
