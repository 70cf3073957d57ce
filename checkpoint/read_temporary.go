package checkpoint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/shadow"
	"entire/checkpoint/trailer"
	"entire/internal/git"
	"entire/internal/gogit"
)

// maxWalk bounds how many commits of one shadow branch are read.
const maxWalk = 10000

// ReadTemporary reads the latest checkpoint from a shadow branch. It returns
// nil, nil if the branch does not exist.
func (s *GitStore) ReadTemporary(ctx context.Context, baseCommit, worktreeID string) (result *ReadTemporaryResult, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		c, ok, err := r.Reader(ctx).CommitOf(shadow.Ref(baseCommit, worktreeID))
		if err != nil || !ok {
			return err
		}
		info := shadow.ParseStep(c.Message)
		result = &ReadTemporaryResult{
			CommitHash: gogit.Hash(c.OID), TreeHash: gogit.Hash(c.Tree),
			SessionID: info.RawSession, MetadataDir: info.MetadataDir, Timestamp: c.Committer.When,
		}
		return nil
	})
	return result, err
}

// ListTemporary lists all shadow branches, sorted by name.
func (s *GitStore) ListTemporary(ctx context.Context) (infos []TemporaryInfo, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		infos, err = listShadows(ctx, r)
		return err
	})
	return infos, err
}

func listShadows(ctx context.Context, r *git.Repo) ([]TemporaryInfo, error) {
	refs, err := r.Refs(ctx, "refs/heads/"+strings.TrimSuffix(ShadowBranchPrefix, "/"))
	if err != nil {
		return nil, err
	}
	var infos []TemporaryInfo
	for _, ref := range refs {
		name := strings.TrimPrefix(ref.Name, "refs/heads/")
		if !shadow.LooksLikeShadow(name) {
			continue
		}
		c, err := r.Reader(ctx).Commit(ref.OID)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		base, _, _ := ParseShadowBranchName(name)
		infos = append(infos, TemporaryInfo{
			BranchName: name, BaseCommit: base, LatestCommit: gogit.Hash(c.OID),
			SessionID: shadow.ParseStep(c.Message).RawSession, Timestamp: c.Committer.When,
		})
	}
	return infos, nil
}

// ListTemporaryCheckpoints lists the checkpoints on a shadow branch, newest first: those of one
// session if SessionID is given, and at most limit of them if limit is positive. A branch that
// does not exist has none.
func (s *GitStore) ListTemporaryCheckpoints(ctx context.Context, baseCommit, worktreeID, sessionID string, limit int) ([]TemporaryCheckpointInfo, error) {
	return s.ListCheckpointsForBranch(ctx, ShadowBranchNameForCommit(baseCommit, worktreeID), sessionID, limit)
}

// ListCheckpointsForBranch is ListTemporaryCheckpoints for a branch by name,
// with or without refs/heads/.
func (s *GitStore) ListCheckpointsForBranch(ctx context.Context, branchName, sessionID string, limit int) (infos []TemporaryCheckpointInfo, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		infos, err = listSteps(ctx, r, "refs/heads/"+strings.TrimPrefix(branchName, "refs/heads/"), sessionID, limit)
		return err
	})
	return infos, err
}

// ListAllTemporaryCheckpoints lists the checkpoints of all shadow branches,
// newest first, with the filter and limit of ListTemporaryCheckpoints.
func (s *GitStore) ListAllTemporaryCheckpoints(ctx context.Context, sessionID string, limit int) (infos []TemporaryCheckpointInfo, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		branches, err := listShadows(ctx, r)
		if err != nil {
			return err
		}
		for _, b := range branches {
			some, err := listSteps(ctx, r, "refs/heads/"+b.BranchName, sessionID, limit)
			if err != nil {
				return err
			}
			infos = append(infos, some...)
		}
		return nil
	})
	slices.SortStableFunc(infos, func(a, b TemporaryCheckpointInfo) int { return b.Timestamp.Compare(a.Timestamp) })
	if limit > 0 && len(infos) > limit {
		infos = infos[:limit]
	}
	return infos, err
}

// listSteps walks back from the tip of a shadow branch. It lists only commits with
// Entire-Session.
func listSteps(ctx context.Context, r *git.Repo, ref, sessionID string, limit int) ([]TemporaryCheckpointInfo, error) {
	c, ok, err := r.Reader(ctx).CommitOf(ref)
	if err != nil || !ok {
		return nil, err
	}
	var infos []TemporaryCheckpointInfo
	for range maxWalk {
		if info, ok := stepInfo(c); ok && (sessionID == "" || info.SessionID == sessionID) {
			infos = append(infos, info)
		}
		if len(c.Parents) == 0 || limit > 0 && len(infos) >= limit {
			break
		}
		if c, err = r.Reader(ctx).Commit(c.Parents[0]); err != nil {
			return infos, fmt.Errorf("walk %s: %w", ref, err)
		}
	}
	return infos, nil
}

func stepInfo(c git.Commit) (info TemporaryCheckpointInfo, ok bool) {
	session := trailer.Value(c.Message, trailer.Session)
	if session == "" {
		return info, false
	}
	step := shadow.ParseStep(c.Message)
	return TemporaryCheckpointInfo{
		CommitHash: gogit.Hash(c.OID), Message: step.Subject, SessionID: session, MetadataDir: step.MetadataDir,
		IsTaskCheckpoint: step.Kind == shadow.StepTask, ToolUseID: step.ToolUseID, Timestamp: c.Committer.When,
	}, true
}

// ShadowBranchExists checks if a shadow branch exists for the given base commit and worktree. A
// branch that cannot be looked up counts as absent.
func (s *GitStore) ShadowBranchExists(baseCommit, worktreeID string) bool {
	ctx, exists := withoutContext(), false
	err := s.with(ctx, func(r *git.Repo) (err error) {
		_, exists, err = r.Ref(ctx, shadow.Ref(baseCommit, worktreeID))
		return err
	})
	return err == nil && exists
}

// DeleteShadowBranch deletes the shadow branch for the given base commit and worktree, if it
// still names the commit that it named at the beginning of the call. Deleting a branch that
// does not exist is no error.
func (s *GitStore) DeleteShadowBranch(baseCommit, worktreeID string) error {
	ctx, ref := withoutContext(), shadow.Ref(baseCommit, worktreeID)
	return s.with(ctx, func(r *git.Repo) error {
		oid, exists, err := r.Ref(ctx, ref)
		if err != nil || !exists {
			return err
		}
		return r.UpdateRefs(ctx, []git.RefUpdate{{Name: ref, Old: oid}})
	})
}
