package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
)

// maxWalk bounds how many commits of one shadow branch are looked at.
const maxWalk = 10000

// ReadTemporary reads the latest checkpoint from a shadow branch. It returns
// nil, nil if the branch does not exist.
func (s *GitStore) ReadTemporary(ctx context.Context, baseCommit, worktreeID string) (result *ReadTemporaryResult, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		c, ok, err := r.Reader(ctx).CommitOf(ShadowRef(baseCommit, worktreeID))
		if err != nil || !ok {
			return err
		}
		info := ParseStep(c.Message)
		result = &ReadTemporaryResult{
			CommitHash: c.OID.Hash(), TreeHash: c.Tree.Hash(),
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
		if !looksLikeShadow(name) {
			continue
		}
		c, err := r.Reader(ctx).Commit(ref.OID)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		base, _, _ := ParseShadowBranchName(name)
		infos = append(infos, TemporaryInfo{
			BranchName: name, BaseCommit: base, LatestCommit: c.OID.Hash(),
			SessionID: ParseStep(c.Message).RawSession, Timestamp: c.Committer.When,
		})
	}
	return infos, nil
}

// ListTemporaryCheckpoints lists the checkpoints on a shadow branch, newest
// first: those of one session if sessionID is given, and at most limit of them
// if that is positive. A branch that does not exist has none.
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

// listSteps walks a shadow branch back. Only commits with Entire-Session count.
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
	session := TrailerValue(c.Message, TrailerSession)
	if session == "" {
		return info, false
	}
	step := ParseStep(c.Message)
	return TemporaryCheckpointInfo{
		CommitHash: c.OID.Hash(), Message: step.Subject, SessionID: session, MetadataDir: step.MetadataDir,
		IsTaskCheckpoint: step.Kind == StepTask, ToolUseID: step.ToolUseID, Timestamp: c.Committer.When,
	}, true
}

// ShadowBranchExists checks if a shadow branch exists for the given base commit
// and worktree. A branch that cannot be looked up counts as absent.
func (s *GitStore) ShadowBranchExists(baseCommit, worktreeID string) bool {
	ctx, exists := context.Background(), false
	err := s.with(ctx, func(r *git.Repo) (err error) {
		_, exists, err = r.Ref(ctx, ShadowRef(baseCommit, worktreeID))
		return err
	})
	return err == nil && exists
}

// DeleteShadowBranch deletes the shadow branch for the given base commit and
// worktree, if it still names the commit it named at the beginning of the call.
// A branch that does not exist is fine.
func (s *GitStore) DeleteShadowBranch(baseCommit, worktreeID string) error {
	ctx, ref := context.Background(), ShadowRef(baseCommit, worktreeID)
	return s.with(ctx, func(r *git.Repo) error {
		oid, exists, err := r.Ref(ctx, ref)
		if err != nil || !exists {
			return err
		}
		return r.UpdateRefs(ctx, []git.RefUpdate{{Name: ref, Old: oid}})
	})
}

// GetTranscriptFromCommit retrieves the transcript from metadataDir in a
// commit's tree, in chunks or in one piece. Missing chunks are an error beside
// what there is; no transcript is [ErrNoTranscript].
func (s *GitStore) GetTranscriptFromCommit(commitHash plumbing.Hash, metadataDir string, agentType agent.AgentType) (transcript []byte, err error) {
	ctx := context.Background()
	err = s.with(ctx, func(r *git.Repo) error {
		c, err := r.Reader(ctx).Commit(git.FromHash(commitHash))
		if err != nil {
			return err
		}
		files, err := entriesAt(ctx, r, c.Tree, strings.Trim(metadataDir, "/"))
		if err != nil {
			return err
		}
		data, missing, err := readTranscript(r.Reader(ctx), files, agentType)
		transcript = data
		switch {
		case err != nil:
			return err
		case len(missing) > 0:
			return &MissingChunkError{Names: missing}
		case len(data) == 0:
			return fmt.Errorf("%s in commit %s: %w", metadataDir, commitHash, ErrNoTranscript)
		}
		return nil
	})
	return transcript, err
}

// ReadCommitted reads a committed checkpoint's summary by ID: sums and paths,
// not content. It returns nil, nil if the checkpoint does not exist. A summary
// that cannot be decoded is made again from the sessions that can.
func (s *GitStore) ReadCommitted(ctx context.Context, checkpointID id.CheckpointID) (summary *CheckpointSummary, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		c, err := NewRecords(r).Read(ctx, checkpointID)
		if errors.Is(err, ErrCheckpointNotFound) {
			return nil
		}
		if err == nil && len(c.Sessions) == 0 {
			err = c.Err
		}
		if err == nil {
			summary = &c.Summary
		}
		return err
	})
	return summary, err
}

// ReadSessionContent reads the content for a session within a checkpoint, by
// its 0-based index. It returns an error if the checkpoint or session does not
// exist; beside an error about metadata or chunks it returns what there is.
func (s *GitStore) ReadSessionContent(ctx context.Context, checkpointID id.CheckpointID, sessionIndex int) (content *SessionContent, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		content, err = NewRecords(r).Session(ctx, checkpointID, sessionIndex)
		return err
	})
	return content, err
}

// ReadSessionContentByID reads a session's content by its session ID. It
// returns ErrCheckpointNotFound if the checkpoint does not exist, and
// [ErrSessionNotFound] if that session is not in it.
func (s *GitStore) ReadSessionContentByID(ctx context.Context, checkpointID id.CheckpointID, sessionID string) (content *SessionContent, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		content, err = NewRecords(r).SessionByID(ctx, checkpointID, sessionID)
		return err
	})
	return content, err
}

// ReadLatestSessionContent reads the content of the session that joined the
// checkpoint last.
func (s *GitStore) ReadLatestSessionContent(ctx context.Context, checkpointID id.CheckpointID) (content *SessionContent, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		content, err = NewRecords(r).LatestSession(ctx, checkpointID)
		return err
	})
	return content, err
}

// ListCommitted lists all committed checkpoints, newest first. For some of many
// use [Records.ReadMany].
func (s *GitStore) ListCommitted(ctx context.Context) (infos []CommittedInfo, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		records := NewRecords(r)
		ids, err := records.ListIDs(ctx)
		if err != nil {
			return err
		}
		all, err := records.ReadMany(ctx, ids)
		for _, c := range all {
			infos = append(infos, c.Info())
		}
		return err
	})
	slices.SortStableFunc(infos, func(a, b CommittedInfo) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.CheckpointID.String(), b.CheckpointID.String()))
	})
	return infos, err
}

// GetTranscript retrieves the transcript of the checkpoint's latest session.
func (s *GitStore) GetTranscript(ctx context.Context, checkpointID id.CheckpointID) (transcript []byte, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		transcript, _, err = sessionLog(ctx, r, checkpointID)
		return err
	})
	return transcript, err
}

// GetSessionLog retrieves the transcript and the session ID of the checkpoint's
// latest session. It returns ErrCheckpointNotFound if the checkpoint does not
// exist and ErrNoTranscript if it has no transcript.
func (s *GitStore) GetSessionLog(cpID id.CheckpointID) (transcript []byte, sessionID string, err error) {
	ctx := context.Background()
	err = s.with(ctx, func(r *git.Repo) error {
		transcript, sessionID, err = sessionLog(ctx, r, cpID)
		return err
	})
	return transcript, sessionID, err
}

// LookupSessionLog is GetSessionLog in the repository around the current
// directory.
func LookupSessionLog(cpID id.CheckpointID) ([]byte, string, error) {
	ctx := context.Background()
	dir, err := os.Getwd()
	if err != nil {
		return nil, "", err
	}
	r, err := git.Discover(ctx, dir, os.Environ())
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	return sessionLog(ctx, r, cpID)
}

func sessionLog(ctx context.Context, r *git.Repo, cp id.CheckpointID) (transcript []byte, sessionID string, err error) {
	c, err := NewRecords(r).LatestSession(ctx, cp)
	if c == nil {
		return nil, "", err
	}
	if err == nil && len(c.Transcript) == 0 {
		err = fmt.Errorf("checkpoint %s: %w", cp, ErrNoTranscript)
	}
	return c.Transcript, c.Metadata.SessionID, err
}

// GetCheckpointAuthor retrieves the author of the commit that introduced the
// checkpoint; an empty Author if there is none.
func (s *GitStore) GetCheckpointAuthor(ctx context.Context, checkpointID id.CheckpointID) (author Author, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		author, err = NewRecords(r).Author(ctx, checkpointID)
		return err
	})
	return author, err
}
