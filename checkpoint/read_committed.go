package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"entire/agent"
	"entire/checkpoint/chunk"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/gogit"
)

// GetTranscriptFromCommit retrieves the transcript from metadataDir in a commit's tree, in
// chunks or in one piece. If chunks are missing, it returns an error together with the rest; if
// there is no transcript, [ErrNoTranscript].
func (s *GitStore) GetTranscriptFromCommit(commitHash plumbing.Hash, metadataDir string, agentType agent.AgentType) (transcript []byte, err error) {
	ctx := withoutContext()
	err = s.with(ctx, func(r *git.Repo) error {
		c, err := r.Reader(ctx).Commit(gogit.FromHash(commitHash))
		if err != nil {
			return err
		}
		files, err := shadow.EntriesAt(ctx, r, c.Tree, strings.Trim(metadataDir, "/"))
		if err != nil {
			return err
		}
		data, missing, err := chunk.ReadTranscript(r.Reader(ctx), files, agentType)
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

// ReadCommitted reads a committed checkpoint's summary by ID: sums and paths, not content. It
// returns nil, nil if the checkpoint does not exist. A summary that cannot be decoded is
// computed from the readable sessions.
func (s *GitStore) ReadCommitted(ctx context.Context, checkpointID id.CheckpointID) (summary *CheckpointSummary, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		c, err := records.NewReader(r).Read(ctx, checkpointID)
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

// ReadSessionContent reads the content for a session within a checkpoint, by its 0-based index.
// It returns an error if the checkpoint or session does not exist; with an error about metadata
// or chunks it returns the rest.
func (s *GitStore) ReadSessionContent(ctx context.Context, checkpointID id.CheckpointID, sessionIndex int) (content *SessionContent, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		content, err = records.NewReader(r).Session(ctx, checkpointID, sessionIndex)
		return err
	})
	return content, err
}

// ReadSessionContentByID reads a session's content by its session ID. It returns
// ErrCheckpointNotFound if the checkpoint does not exist, and [ErrSessionNotFound] if it does
// not have that session.
func (s *GitStore) ReadSessionContentByID(ctx context.Context, checkpointID id.CheckpointID, sessionID string) (content *SessionContent, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		content, err = records.NewReader(r).SessionByID(ctx, checkpointID, sessionID)
		return err
	})
	return content, err
}

// ReadLatestSessionContent reads the content of the session that was added to the checkpoint
// last.
func (s *GitStore) ReadLatestSessionContent(ctx context.Context, checkpointID id.CheckpointID) (content *SessionContent, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		content, err = records.NewReader(r).LatestSession(ctx, checkpointID)
		return err
	})
	return content, err
}

// ListCommitted lists all committed checkpoints, newest first. To read a few of many, use
// ReadMany of package records.
func (s *GitStore) ListCommitted(ctx context.Context) (infos []CommittedInfo, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		all, err := records.NewReader(r).ReadAll(ctx)
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
	ctx := withoutContext()
	err = s.with(ctx, func(r *git.Repo) error {
		transcript, sessionID, err = sessionLog(ctx, r, cpID)
		return err
	})
	return transcript, sessionID, err
}

// GetCheckpointAuthor retrieves the author of the commit that introduced the
// checkpoint; an empty Author if there is none.
func (s *GitStore) GetCheckpointAuthor(ctx context.Context, checkpointID id.CheckpointID) (author Author, err error) {
	err = s.with(ctx, func(r *git.Repo) error {
		author, err = records.NewReader(r).Author(ctx, checkpointID)
		return err
	})
	return author, err
}
