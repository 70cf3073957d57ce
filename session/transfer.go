package session

import (
	"context"
	"fmt"

	"entire/session/internal/staging"
)

// Folder returns everything that is stored of a session. It leaves out locks, temporary files
// and caches. A process that writes to the session waits while Folder looks, but not while the
// files are read.
func (s *Store) Folder(ctx context.Context, sessionID string) (*Folder, error) {
	err := s.queue.AwaitWrites(ctx)
	var f *Folder
	if err == nil {
		f, err = staging.ReadFolder(ctx, s.queue.Base, sessionID)
	}
	if err != nil {
		return nil, fmt.Errorf("read session %.100s: %w", sessionID, err)
	}
	return f, nil
}

// Stage makes an empty Staging.
func (s *Store) Stage(ctx context.Context) (*Staging, error) {
	if err := s.refused(); err != nil {
		return nil, err
	}
	return staging.New(ctx, s.queue)
}
