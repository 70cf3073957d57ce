package strategy

import (
	"context"
	"fmt"

	"entire/internal/git"
)

// PresentTree writes the present worktree as a tree, which no ref names, and returns the files that
// it could not include. It writes nothing else.
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

// Trees returns the worktree's tree as the plan found it, and the tree that the plan leads to.
// Paths in Kept may differ from the second one after the rewind.
func (p *RewindPlan) Trees() (before, after git.OID) { return p.before, p.after }

// PointGaps returns what a point did not capture of the worktree, and how many entries could not be
// listed.
func (s *ManualCommitStrategy) PointGaps(ctx context.Context, p RewindPoint) (list []Uncaptured, more int, err error) {
	c, ok, err := s.repo.Reader(ctx).CommitOf(p.ID)
	if err != nil || !ok || p.IsCommit() {
		return nil, 0, err
	}
	if list, more, err = s.gapsIn(ctx, c.Tree); err != nil {
		return nil, 0, fmt.Errorf("read what %s did not capture: %w", c.OID.Short(), err)
	}
	return list, more, nil
}
