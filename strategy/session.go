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

// Session is a unit of work: a conversation with an agent and the checkpoints
// that were made of it.
type Session struct {
	ID          string
	Description string // its first prompt in one line, or ""
	Strategy    string // that made its latest checkpoint, or would make one
	StartTime   time.Time
	Checkpoints []Checkpoint // oldest first; none while nothing is committed
}

// Checkpoint is a point in time within a session that is on the metadata branch.
type Checkpoint struct {
	CheckpointID     id.CheckpointID
	Message          string // subject of the commit that names it, else its last prompt
	Timestamp        time.Time
	IsTaskCheckpoint bool   // of a subagent
	ToolUseID        string // of a task checkpoint
}

// SessionState is what is known of a session between two events.
type SessionState = session.State

// SessionSource is a strategy that knows sessions which are not on the metadata
// branch (yet).
type SessionSource interface {
	// GetAdditionalSessions lists them; some may be on the branch all the same.
	GetAdditionalSessions() ([]*Session, error)
}

var _ SessionSource = (*ManualCommitStrategy)(nil)

// ErrNoSession is returned by GetSession when no session has the ID.
var ErrNoSession = session.ErrNotFound

// AmbiguousSessionError is returned by GetSession when several sessions' IDs
// begin with what was asked for.
type AmbiguousSessionError struct {
	Prefix string
	IDs    []string // sorted
}

func (e *AmbiguousSessionError) Error() string {
	return fmt.Sprintf("ambiguous session prefix %q matches %d sessions: %s", e.Prefix, len(e.IDs), strings.Join(e.IDs, ", "))
}

// ListSessions lists the sessions of the repository around the current
// directory, the latest begun first: those with checkpoints on the metadata
// branch, and those whose work is in no checkpoint yet.
func ListSessions() ([]Session, error) {
	s, err := atCurrentDir(context.Background())
	if err != nil {
		return nil, err
	}
	defer s.repo.Close()
	return s.Sessions(context.Background())
}

// GetSession finds the session whose ID is, or alone begins with, sessionID.
// Otherwise the error is [ErrNoSession] or an [*AmbiguousSessionError].
func GetSession(sessionID string) (*Session, error) {
	s, err := atCurrentDir(context.Background())
	if err != nil {
		return nil, err
	}
	defer s.repo.Close()
	return s.Session(context.Background(), sessionID)
}

// NewManualCommitStrategy is the strategy for the repository around the current
// directory.
func NewManualCommitStrategy() (*ManualCommitStrategy, error) {
	return atCurrentDir(context.Background())
}

// NewAutoCommitStrategy is the strategy for the repository around the current
// directory.
func NewAutoCommitStrategy() (*AutoCommitStrategy, error) {
	s, err := atCurrentDir(context.Background())
	if err != nil {
		return nil, err
	}
	s.auto = true
	return &AutoCommitStrategy{s}, nil
}

// atCurrentDir is an engine for the documented functions, which take neither a
// repository nor a context.
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

// forProgram is an engine that works for another program: it logs nothing.
func forProgram(repo *git.Repo) *ManualCommitStrategy {
	home, _ := os.UserHomeDir()
	return New(Options{Repo: repo, Store: session.NewStateStore(repo.CommonDir), Now: time.Now, Home: home,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
}

// Sessions is ListSessions for this repository.
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
			have.StartTime = m.StartTime // a checkpoint does not say when its session began
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

// Session is GetSession for this repository.
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
