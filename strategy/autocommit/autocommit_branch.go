package autocommit

import (
	"context"
	"strings"

	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// OnDefaultBranch reports whether HEAD is on the repository's default branch.
func OnDefaultBranch(ctx context.Context, s *sessionstate.Env) (bool, error) {
	branch := s.Repo.Branch(ctx)
	if branch == "" {
		return false, nil
	}
	def, err := s.Repo.DefaultBranch(ctx)
	return branch == def, err
}

// UncommittedError is returned if moving the branch would lose changes of tracked files. Nothing
// was changed.
type UncommittedError struct {
	Files []string
}

func (e *UncommittedError) Error() string {
	return "You have uncommitted changes: " + strings.Join(e.Files, ", ") + ". Please commit or stash your changes before rewinding."
}

// Uncommitted returns an [*UncommittedError] if tracked files have uncommitted changes.
func Uncommitted(ctx context.Context, s *sessionstate.Env) error {
	st, err := s.Repo.Status(ctx)
	if err != nil {
		return err
	}
	var changed []string
	for _, e := range worktree.MergeEntries(st.Entries) {
		if !e.Untracked {
			changed = append(changed, e.Path)
		}
	}
	if len(changed) > 0 {
		return &UncommittedError{changed}
	}
	return nil
}
