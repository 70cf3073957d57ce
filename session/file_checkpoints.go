package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"entire/session/internal/conversation"
	"entire/session/internal/files"
	"entire/session/internal/layout"
)

// Files returns the manager of a session's files, which lie below the folder that its metadata
// names (CWD). ErrNotFound if there is no such session.
func (s *Store) Files(ctx context.Context, sessionID string) (*CheckpointManager, error) {
	err := s.queue.AwaitWrites(ctx)
	var m *CheckpointManager
	if err == nil {
		m, err = s.files(sessionID)
	}
	if err != nil {
		return nil, fmt.Errorf("files of session %.100s: %w", sessionID, err)
	}
	return m, nil
}

func (s *Store) files(sessionID string) (*CheckpointManager, error) {
	sid, dir, err := s.queue.Existing(sessionID)
	if err != nil {
		return nil, err
	}
	meta, _, err := conversation.ReadMetadata(dir, sid)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(meta.CWD) {
		return nil, errors.New("it names no folder")
	}
	return files.NewCheckpointManager(dir, meta.CWD, CheckpointOptions{Now: s.queue.Now, NoSync: s.queue.NoSync}), nil
}

// CreateCheckpoint implements [SessionStore]; see
// [CheckpointManager.CreateCheckpoint].
func (s *Store) CreateCheckpoint(sessionID, checkpointID string, files []string) error {
	return s.CreateCheckpointContext(layout.WithoutContext(), sessionID, checkpointID, files)
}

// CreateCheckpointContext is CreateCheckpoint with a context.
func (s *Store) CreateCheckpointContext(ctx context.Context, sessionID, checkpointID string, files []string) error {
	m, err := s.Files(ctx, sessionID)
	if err != nil {
		return err
	}
	return m.CreateCheckpointContext(ctx, checkpointID, files)
}

// RewindFiles implements [SessionStore]; see [CheckpointManager.RewindFiles].
func (s *Store) RewindFiles(sessionID, checkpointID string, dryRun bool) (*RewindFilesResult, error) {
	return s.RewindFilesContext(layout.WithoutContext(), sessionID, checkpointID, dryRun)
}

// RewindFilesContext is RewindFiles with a context.
func (s *Store) RewindFilesContext(ctx context.Context, sessionID, checkpointID string, dryRun bool) (*RewindFilesResult, error) {
	m, err := s.Files(ctx, sessionID)
	if err != nil {
		return &RewindFilesResult{Error: err.Error()}, err
	}
	return m.RewindFilesContext(ctx, checkpointID, dryRun)
}

// Checkpoints returns a session's file checkpoints; see
// [CheckpointManager.Checkpoints].
func (s *Store) Checkpoints(ctx context.Context, sessionID string) ([]CheckpointManifest, error) {
	m, err := s.Files(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	return m.Checkpoints(ctx)
}
