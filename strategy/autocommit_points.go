package strategy

import (
	"context"
	"fmt"
	"strings"

	"entire/internal/git"
)

// IsCommit reports a point that is a commit of the branch, not a step.
func (p RewindPoint) IsCommit() bool { return !p.CheckpointID.IsZero() }

// onDefaultBranch reports whether HEAD is the branch that others are made from.
func (s *ManualCommitStrategy) onDefaultBranch(ctx context.Context) (bool, error) {
	branch := s.repo.Branch()
	if branch == "" {
		return false, nil
	}
	def, err := s.repo.DefaultBranch(ctx)
	return branch == def, err
}

// ownCommits are the latest commits of HEAD that the default branch does not
// have: those the branch may be moved back over.
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

// ownMax bounds how many commits of a branch can be gone back over.
const ownMax = 1000

// rewindable tells, in auto-commit, the points that the branch can be moved back
// to from those of the default branch, of which only the conversation comes back.
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

// UncommittedError is returned when moving the branch would lose changes of
// tracked files. Nothing was changed.
type UncommittedError struct {
	Files []string
}

func (e *UncommittedError) Error() string {
	return "You have uncommitted changes: " + strings.Join(e.Files, ", ") + ". Please commit or stash your changes before rewinding."
}

// RewindBranch moves the branch back to a commit of its own, as `git reset
// --hard` does, and the agent's conversation with it. Uncommitted changes of
// tracked files are an [*UncommittedError]. What the branch was is kept under
// refs/entire/undo; it returns the commit.
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

// Uncommitted returns an [*UncommittedError] if tracked files have changes that
// are not committed.
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
