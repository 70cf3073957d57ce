package step

import (
	"context"
	"fmt"
	"strings"

	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// ownCommits returns the latest commits of HEAD that the default branch does not have: the branch
// may be moved back over these. It returns nil on the default branch.
func ownCommits(ctx context.Context, s *sessionstate.Env) (map[string]bool, error) {
	name, err := s.Repo.DefaultBranch(ctx)
	if err != nil || name == "" || name == s.Repo.Branch(ctx) {
		return nil, err
	}
	args := []string{"rev-list", "-n", fmt.Sprint(ownCommitsMax), "HEAD"}
	for _, ref := range []string{"refs/heads/" + name, "refs/remotes/origin/" + name} {
		_, ok, err := s.Repo.Reader(ctx).CommitOf(ref)
		if err != nil {
			return nil, err
		}
		if ok {
			args = append(args, "^"+ref)
		}
	}
	out, err := s.Repo.Run(ctx, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	return worktree.SetOf(strings.Fields(string(out))), nil
}

// ownCommitsMax bounds how many commits a branch can be moved back over.
const ownCommitsMax = 1000

// markRewindable marks, for auto-commit, the points to which the branch can be moved back. From the
// other points, on the default branch, only the conversation can be restored.
func markRewindable(ctx context.Context, s *sessionstate.Env, points []RewindPoint) error {
	if !s.Auto || len(points) == 0 {
		return nil
	}
	own, err := ownCommits(ctx, s)
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
