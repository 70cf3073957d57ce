package strategy

import (
	"context"
	"fmt"

	"entire/internal/git"
)

// PresentTree writes the worktree as it stands as a tree, which no ref names, and
// says what it could not take in. Nothing else is written.
func (s *ManualCommitStrategy) PresentTree(ctx context.Context) (git.OID, []KeptFile, error) {
	now, err := s.now(ctx)
	if err != nil {
		return git.OID{}, nil, fmt.Errorf("read the worktree: %w", err)
	}
	head, err := s.headTree(ctx, now.head)
	if err != nil {
		return git.OID{}, nil, fmt.Errorf("read the worktree: %w", err)
	}
	tree, err := s.repo.EditTree(ctx, head, now.files.edits())
	if err != nil {
		return git.OID{}, nil, fmt.Errorf("read the worktree: %w", err)
	}
	return tree, now.skipped, s.repo.Writer().Sync()
}

// Trees are the worktree's tree as the plan found it, and the one it leads to, in
// which what is kept may differ from what will be there.
func (p *RewindPlan) Trees() (before, after git.OID) { return p.before, p.after }
