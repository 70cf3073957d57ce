package strategy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	upstream "github.com/go-git/go-git/v5"

	"entire/id"
	"entire/internal/git"
	"entire/internal/gogit"
	"entire/session"
	"entire/strategy/engine"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
)

type (
	// Session is one conversation with an agent, and its checkpoints.
	Session = resume.Session

	// Checkpoint is one session's part of a checkpoint on the metadata branch.
	Checkpoint = resume.Checkpoint

	// SessionState is the state of a session between two events.
	SessionState = session.State

	// AmbiguousSessionError is returned by GetSession when several session IDs begin with the
	// given prefix.
	AmbiguousSessionError = resume.AmbiguousSessionError

	// CondenseResult says what CondenseSession has stored.
	CondenseResult = engine.CondenseResult

	// SaveContext describes a completed piece of an agent's work.
	SaveContext = engine.SaveContext

	// NotCommittedError is returned by SaveChanges if work could not be committed now.
	NotCommittedError = engine.NotCommittedError
)

// ErrNoSession is returned by GetSession when no session has the ID.
var ErrNoSession = resume.ErrNoSession

// SessionSource is a strategy that knows sessions which are not (yet) on the metadata branch.
type SessionSource interface {
	// GetAdditionalSessions lists them; some may also be on the branch.
	GetAdditionalSessions() ([]*Session, error)
}

// ManualCommitStrategy keeps every turn on a shadow branch and condenses it into the metadata
// branch when somebody commits. The zero value can condense sessions of any repository.
type ManualCommitStrategy struct {
	env *sessionstate.Env
}

// AutoCommitStrategy makes a commit at the end of every turn that changed something.
type AutoCommitStrategy struct {
	ManualCommitStrategy
}

var (
	_ SessionSource = (*ManualCommitStrategy)(nil)
	_ SessionSource = (*AutoCommitStrategy)(nil)
)

// NewManualCommitStrategy returns the strategy for the repository around the current directory.
func NewManualCommitStrategy() (*ManualCommitStrategy, error) {
	env, err := atCurrentDir()
	if err != nil {
		return nil, err
	}
	return &ManualCommitStrategy{env}, nil
}

// NewAutoCommitStrategy returns the strategy for the repository around the current directory.
func NewAutoCommitStrategy() (*AutoCommitStrategy, error) {
	env, err := atCurrentDir()
	if err != nil {
		return nil, err
	}
	env.Auto = true
	return &AutoCommitStrategy{ManualCommitStrategy{env}}, nil
}

// GetAdditionalSessions lists the sessions that have a state in this clone.
func (s *ManualCommitStrategy) GetAdditionalSessions() ([]*Session, error) {
	return resume.LocalSessions(context.Background(), s.env)
}

// CondenseSession writes what a session has accumulated since its last checkpoint to the metadata
// branch as checkpointID. It reads the live transcript or, if that is gone, the transcript of the
// last step. The state and the shadow branch stay as they are: the caller updates them, depending on
// the commit that the checkpoint is for.
func (s *ManualCommitStrategy) CondenseSession(repo *upstream.Repository, checkpointID id.CheckpointID, state *SessionState) (*CondenseResult, error) {
	if checkpointID.IsZero() || state == nil || state.SessionID.IsZero() {
		return nil, errors.New("condense session: a checkpoint ID and the state of a session are needed")
	}
	ctx := context.Background()
	r, err := gogit.FromRepository(ctx, repo)
	if err != nil {
		return nil, fmt.Errorf("condense session %s: %w", state.SessionID, err)
	}
	defer r.Close()
	env := forProgram(r)
	env.Auto = s != nil && s.env != nil && s.env.Auto
	res, err := engine.CondenseSession(ctx, env, checkpointID, state)
	if err != nil {
		return nil, fmt.Errorf("condense session %s: %w", state.SessionID, err)
	}
	return res, nil
}

// SaveChanges commits these files, and no others, on the current branch, as the user's own git
// would, and writes the commit's checkpoint. Without a change to any of them it does nothing.
// Work that cannot be committed now is a [NotCommittedError].
func (a *AutoCommitStrategy) SaveChanges(ctx SaveContext) error {
	return engine.SaveChanges(context.Background(), a.env, ctx)
}

// ListSessions lists the sessions of the repository around the current directory, the latest
// begun first: sessions with checkpoints on the metadata branch, and sessions without a
// checkpoint.
func ListSessions() ([]Session, error) {
	env, err := atCurrentDir()
	if err != nil {
		return nil, err
	}
	defer env.Repo.Close()
	return resume.Sessions(context.Background(), env)
}

// GetSession finds the session whose ID equals sessionID, or the only one whose ID begins with
// it. Otherwise the error is [ErrNoSession] or an [*AmbiguousSessionError].
func GetSession(sessionID string) (*Session, error) {
	env, err := atCurrentDir()
	if err != nil {
		return nil, err
	}
	defer env.Repo.Close()
	return resume.FindSession(context.Background(), env, sessionID)
}

// atCurrentDir opens the repository around the current directory.
func atCurrentDir() (*sessionstate.Env, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the current directory: %w", err)
	}
	repo, err := git.Discover(context.Background(), dir, os.Environ())
	if err != nil {
		return nil, err
	}
	return forProgram(repo), nil
}

// forProgram returns an engine for another program: it logs nothing.
func forProgram(repo *git.Repo) *sessionstate.Env {
	home, _ := os.UserHomeDir()
	return sessionstate.New(sessionstate.Options{Repo: repo, Store: session.NewStateStore(repo.CommonDir), Now: time.Now, Home: home,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
}
