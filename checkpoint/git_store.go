package checkpoint

import (
	"context"
	"time"

	upstream "github.com/go-git/go-git/v5"

	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
	"entire/internal/gogit"
)

// Store reads and writes checkpoints of both kinds; [GitStore] is one.
type Store interface {
	// WriteTemporary writes the state of the worktree to a shadow branch, or nothing if the
	// previous checkpoint holds the same.
	WriteTemporary(ctx context.Context, opts WriteTemporaryOptions) (WriteTemporaryResult, error)

	// ReadTemporary reads the latest checkpoint of a shadow branch; nil, nil if the branch does
	// not exist.
	ReadTemporary(ctx context.Context, baseCommit, worktreeID string) (*ReadTemporaryResult, error)

	// ListTemporary lists all shadow branches.
	ListTemporary(ctx context.Context) ([]TemporaryInfo, error)

	// WriteCommitted writes a session's record to the metadata branch.
	WriteCommitted(ctx context.Context, opts WriteCommittedOptions) error

	// ReadCommitted reads a checkpoint's summary; nil, nil if the checkpoint does not exist.
	ReadCommitted(ctx context.Context, checkpointID id.CheckpointID) (*CheckpointSummary, error)

	// ReadSessionContent reads everything about a session, by its index in the
	// summary's Sessions.
	ReadSessionContent(ctx context.Context, checkpointID id.CheckpointID, sessionIndex int) (*SessionContent, error)

	// ReadSessionContentByID is ReadSessionContent by the session's own ID.
	ReadSessionContentByID(ctx context.Context, checkpointID id.CheckpointID, sessionID string) (*SessionContent, error)

	// ListCommitted lists all committed checkpoints.
	ListCommitted(ctx context.Context) ([]CommittedInfo, error)
}

var _ Store = (*GitStore)(nil)

// GitStore reads and writes checkpoints in a git repository opened with go-git. It uses
// go-git's types and therefore supports SHA-1 repositories; git and the functions of this
// package that take an internal/git repository do the work. Several goroutines may use a
// GitStore.
type GitStore struct {
	repo *upstream.Repository
	now  clock
}

type clock = func() time.Time

// NewGitStore creates a checkpoint store backed by the given repository, which
// must be stored in a file system.
func NewGitStore(repo *upstream.Repository) *GitStore {
	return &GitStore{repo: repo, now: time.Now}
}

// Repository returns the underlying git repository.
func (s *GitStore) Repository() *upstream.Repository { return s.repo }

// with calls fn with the internal/git repository.
func (s *GitStore) with(ctx context.Context, fn func(*git.Repo) error) error {
	return withRepo(ctx, s.repo, fn)
}

func withRepo(ctx context.Context, repo *upstream.Repository, fn func(*git.Repo) error) error {
	r, err := gogit.FromRepository(ctx, repo)
	if err != nil {
		return err
	}
	defer r.Close()
	return fn(r)
}

// author returns the given author with the present time, or, if none is given, the one that git
// is configured with.
func (s *GitStore) author(ctx context.Context, r *git.Repo, name, email string) git.Signature {
	who := git.Signature{Name: name, Email: email}
	if name == "" && email == "" {
		who = r.Identity(ctx)
	}
	who.When = s.now()
	return metadata.Signature(who)
}
