package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"entire/id"
	"entire/internal/durable"
)

// CreateContext is [Store.Create] with a context.
func (s *Store) CreateContext(ctx context.Context, meta SessionMetadata) error {
	err := s.queue.settle(ctx)
	if err == nil {
		err = s.create(meta)
	}
	if err != nil {
		return fmt.Errorf("create session %.100s: %w", meta.ID, err)
	}
	return nil
}

func (s *Store) create(meta SessionMetadata) error {
	sid, err := id.ParseSessionID(meta.ID)
	if err != nil {
		return err
	}
	if meta.CreatedAt.IsZero() {
		meta.CreatedAt = s.queue.now().UTC()
	}
	if meta.UpdatedAt.IsZero() {
		meta.UpdatedAt = meta.CreatedAt
	}
	meta.MessageCount, meta.LastMessage, meta.counted = 0, "", 0
	return s.queue.build(sid, func(dir string) error {
		return writeMetadata(dir, meta, !s.queue.noSync)
	})
}

// build makes the folder of a new session: fill writes the files into a temporary folder, and a
// rename makes it appear complete. It returns ErrExists if the session exists.
func (b *Base) build(sid id.SessionID, fill func(dir string) error) error {
	target := filepath.Join(b.base, sid.String())
	switch exists, err := isSession(target); {
	case err != nil:
		return err
	case exists:
		return ErrExists
	}
	if err := os.MkdirAll(b.base, 0o750); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(b.base, buildPattern)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // no effect after the rename
	if err := os.Chmod(dir, 0o750); err != nil {
		return err
	}
	if err := fill(dir); err != nil {
		return err
	}
	return b.appear(dir, target)
}

// appear moves a folder to the place of a session's folder. It first removes the empty folder
// that a failed attempt may have left there.
func (b *Base) appear(dir, target string) error {
	err := os.Rename(dir, target)
	if err != nil {
		if exists, serr := isSession(target); serr == nil && exists {
			return ErrExists
		}
		os.Remove(filepath.Join(target, sessionLock))
		if rerr := os.Remove(target); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			return err
		}
		err = os.Rename(dir, target)
	}
	if err != nil || b.noSync {
		return err
	}
	return durable.SyncDir(b.base)
}
