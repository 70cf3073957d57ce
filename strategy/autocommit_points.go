package strategy

import (
	"context"
	"fmt"
	"strings"

	"entire/internal/git"
)

// IsCommit reports whether the point is a commit of the branch, not a step.
func (p RewindPoint) IsCommit() bool { return !p.CheckpointID.IsZero() }

// onDefaultBranch reports whether HEAD is on the repository's default branch.
func (s *ManualCommitStrategy) onDefaultBranch(ctx context.Context) (bool, error) {
	branch := s.repo.Branch()
	if branch == "" {
		return false, nil
	}
	def, err := s.repo.DefaultBranch(ctx)
	return branch == def, err
}

// ownCommits returns the latest commits of HEAD that the default branch does not have: the branch
// may be moved back over these. It returns nil on the default branch.
func (s *ManualCommitStrategy) ownCommits(ctx context.Context) (map[string]bool, error) {
	name, err := s.repo.DefaultBranch(ctx)
	if err != nil || name == "" || name == s.repo.Branch() {
		return nil, err
	}
	args := []string{"rev-list", "-n", fmt.Sprint(ownMax), "HEAD"}
	for _, ref := range []string{"refs/heads/" + name, "refs/remotes/origin/" + name} {
		_, ok, err := s.repo.Reader(ctx).CommitOf(ref)
		if err != nil {
			return nil, err
		}
		if ok {
			args = append(args, "^"+ref)
		}
	}
	out, err := s.repo.Run(ctx, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	return setOf(strings.Fields(string(out))), nil
}

// ownMax bounds how many commits a branch can be moved back over.
const ownMax = 1000

// rewindable marks, for auto-commit, the points to which the branch can be moved back. From the
// other points, on the default branch, only the conversation can be restored.
func (s *ManualCommitStrategy) rewindable(ctx context.Context, points []RewindPoint) error {
	if !s.auto || len(points) == 0 {
		return nil
	}
	own, err := s.ownCommits(ctx)
	if err != nil {
		return err
	}
	for i := range points {
		p := &points[i]
		p.IsLogsOnly = !own[p.ID]
		p.MetadataDir = p.CheckpointID.Path()
		if p.IsTaskCheckpoint && p.ToolUseID != "" {
			p.MetadataDir += "/tasks/" + p.ToolUseID
		}
	}
	return nil
}

// UncommittedError is returned if moving the branch would lose changes of tracked files. Nothing
// was changed.
type UncommittedError struct {
	Files []string
}

func (e *UncommittedError) Error() string {
	return "You have uncommitted changes: " + strings.Join(e.Files, ", ") + ". Please commit or stash your changes before rewinding."
}

// RewindBranch moves the branch back to a commit of its own, as `git reset --hard` does, and the
// agent's conversation with it. It returns the commit that the branch was at, which is kept under
// refs/entire/undo. Uncommitted changes of tracked files are an [*UncommittedError]; a point of
// the default branch is ErrLogsOnly.
func (s *ManualCommitStrategy) RewindBranch(ctx context.Context, p RewindPoint) (oldHead string, warnings []string, err error) {
	if p.IsLogsOnly || !p.IsCommit() {
		return "", nil, ErrLogsOnly
	}
	if err := s.Uncommitted(ctx); err != nil {
		return "", nil, err
	}
	head, _, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return "", nil, err
	}
	if now := head.OID.String(); now != p.ID {
		if err := s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: "refs/entire/undo/" + now, New: head.OID}}); err != nil {
			return "", nil, fmt.Errorf("save the present: %w", err)
		}
	}
	if oldHead, err = s.ResetTo(ctx, p); err != nil {
		return "", nil, err
	}
	warnings, err = s.talkBack(ctx, p)
	return oldHead, warnings, err
}

// Uncommitted returns an [*UncommittedError] if tracked files have uncommitted changes.
func (s *ManualCommitStrategy) Uncommitted(ctx context.Context) error {
	st, err := s.repo.Status(ctx)
	if err != nil {
		return err
	}
	var changed []string
	for _, e := range mergeEntries(st.Entries) {
		if !e.Untracked {
			changed = append(changed, e.Path)
		}
	}
	if len(changed) > 0 {
		return &UncommittedError{changed}
	}
	return nil
}
