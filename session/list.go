package session

import (
	"context"
	"fmt"
	"time"

	"entire/internal/retention"
	"entire/session/internal/index"
)

// ListContext is [Store.List] with a context. It reads the directory once and makes one lstat
// for each session, whatever the sessions' sizes. It reads only what changed since the index
// was written; if that is much, it rewrites the index. A missing, damaged or unwritable
// index only costs time. It leaves out a session whose metadata cannot be read; Metadata
// returns that error.
func (s *Store) ListContext(ctx context.Context) ([]SessionMetadata, error) {
	err := s.queue.AwaitWrites(ctx)
	var found []index.ListEntry
	if err == nil {
		found, err = index.List(ctx, s.queue.Base)
	}
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return index.NewestFirst(found), nil
}

// FilesOnDisk lists the files of a session's folder; ErrNotFound if there is none.
func (s *Store) FilesOnDisk(_ context.Context, sessionID string) ([]retention.File, error) {
	_, dir, err := s.queue.Existing(sessionID)
	if err != nil {
		return nil, fmt.Errorf("files of session %.100s: %w", sessionID, err)
	}
	list, err := index.FilesBelow(dir)
	if err != nil {
		return nil, fmt.Errorf("files of session %.100s: %w", sessionID, err)
	}
	out := make([]retention.File, len(list))
	for i, f := range list {
		out[i] = f.File
	}
	return out, nil
}

// SizeOf returns how many bytes a session takes on the disk, and how many it would take
// uncompressed. A file with n names counts for 1/n.
func (s *Store) SizeOf(_ context.Context, sessionID string) (bytes, plain int64, err error) {
	_, dir, err := s.queue.Existing(sessionID)
	if err != nil {
		return 0, 0, fmt.Errorf("size of session %.100s: %w", sessionID, err)
	}
	bytes, plain = index.SizesOf(dir)
	return bytes, plain, nil
}

// DiskUse measures the stored sessions. It measures only what changed since the last call, and
// stops after limit; 0 is no limit. If forks share files, the result is approximate.
func (s *Store) DiskUse(ctx context.Context, limit time.Duration) (DiskUse, error) {
	use, err := index.MeasureDiskUse(ctx, s.queue.Base, limit)
	if err != nil {
		return use, fmt.Errorf("measure the session store: %w", err)
	}
	return use, nil
}
