package strategy

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// Session is one conversation with an agent, and its checkpoints.
type Session struct {
	ID          string
	Description string // its first prompt in one line, or ""
	Strategy    string // of its latest checkpoint; the current strategy if it has none
	StartTime   time.Time
	Checkpoints []Checkpoint // oldest first; none before the first commit
}

// Checkpoint is one session's part of a checkpoint on the metadata branch.
type Checkpoint struct {
	CheckpointID     id.CheckpointID
	Message          string // subject of the commit that names it; if no commit does, the last prompt
	Timestamp        time.Time
	IsTaskCheckpoint bool   // made by a subagent
	ToolUseID        string // only for a task checkpoint
}

// SessionState is the state of a session between two events.
type SessionState = session.State

// SessionSource is a strategy that knows sessions which are not (yet) on the metadata branch.
type SessionSource interface {
	// GetAdditionalSessions lists them; some may also be on the branch.
	GetAdditionalSessions() ([]*Session, error)
}

// ErrNoSession is returned by GetSession when no session has the ID.
var ErrNoSession = session.ErrNotFound

// AmbiguousSessionError is returned by GetSession when several session IDs begin with the given
// prefix.
type AmbiguousSessionError struct {
	Prefix string
	IDs    []string // sorted
}

func (e *AmbiguousSessionError) Error() string {
	return fmt.Sprintf("ambiguous session prefix %q matches %d sessions: %s", e.Prefix, len(e.IDs), strings.Join(e.IDs, ", "))
}

// ListSessions lists the sessions of the repository around the current directory, the latest
// begun first: sessions with checkpoints on the metadata branch, and sessions without a
// checkpoint.
func ListSessions() ([]Session, error) {
	s, err := atCurrentDir(context.Background())
	if err != nil {
		return nil, err
	}
	defer s.repo.Close()
	return s.Sessions(context.Background())
}

// GetSession finds the session whose ID equals sessionID, or the only one whose ID begins with
// it. Otherwise the error is [ErrNoSession] or an [*AmbiguousSessionError].
func GetSession(sessionID string) (*Session, error) {
	s, err := atCurrentDir(context.Background())
	if err != nil {
		return nil, err
	}
	defer s.repo.Close()
	return s.Session(context.Background(), sessionID)
}

// NewManualCommitStrategy returns the strategy for the repository around the current directory.
func NewManualCommitStrategy() (*ManualCommitStrategy, error) {
	return atCurrentDir(context.Background())
}

// NewAutoCommitStrategy returns the strategy for the repository around the current directory.
func NewAutoCommitStrategy() (*ManualCommitStrategy, error) {
	s, err := atCurrentDir(context.Background())
	if err != nil {
		return nil, err
	}
	s.auto = true
	return s, nil
}

// atCurrentDir returns an engine for the documented functions, which take neither a repository
// nor a context.
func atCurrentDir(ctx context.Context) (*ManualCommitStrategy, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the current directory: %w", err)
	}
	repo, err := git.Discover(ctx, dir, os.Environ())
	if err != nil {
		return nil, err
	}
	return forProgram(repo), nil
}

// forProgram returns an engine that logs nothing, for use inside another program.
func forProgram(repo *git.Repo) *ManualCommitStrategy {
	home, _ := os.UserHomeDir()
	return New(Options{Repo: repo, Store: session.NewStateStore(repo.CommonDir), Now: time.Now, Home: home,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
}

// Sessions is [ListSessions] for this repository.
func (s *ManualCommitStrategy) Sessions(ctx context.Context) ([]Session, error) {
	byID := map[string]*Session{}
	if err := s.addStoredSessions(ctx, byID); err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	more, err := s.additional(ctx)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	for _, m := range more {
		if have := byID[m.ID]; have == nil {
			byID[m.ID] = m
		} else {
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

// Session is [GetSession] for this repository.
func (s *ManualCommitStrategy) Session(ctx context.Context, prefix string) (*Session, error) {
	all, err := s.Sessions(ctx)
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
