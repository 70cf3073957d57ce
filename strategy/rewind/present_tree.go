package rewind

import (
	"context"
	"fmt"

	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// PresentTree writes the present worktree as a tree, which no ref names, and returns the files that
// it could not include. It writes nothing else.
func PresentTree(ctx context.Context, s *sessionstate.Env) (git.OID, []sessionstate.KeptFile, error) {
	now, err := SnapshotNow(ctx, s)
	if err != nil {
		return git.OID{}, nil, fmt.Errorf("read the worktree: %w", err)
	}
	head, err := worktree.HeadTree(ctx, s, now.Head)
	if err != nil {
		return git.OID{}, nil, fmt.Errorf("read the worktree: %w", err)
	}
	tree, err := s.Repo.EditTree(ctx, head, worktree.Edits(now.Files))
	if err != nil {
		return git.OID{}, nil, fmt.Errorf("read the worktree: %w", err)
	}
	return tree, now.Skipped, s.Repo.Writer().Sync()
}
