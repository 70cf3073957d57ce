package staging

import (
	"context"
	"errors"
	"path/filepath"

	"entire/session/internal/conversation"
	"entire/session/internal/layout"
	"entire/session/internal/log"
	"entire/session/internal/trash"
)

// Extends reports whether the staged session continues the stored session of an ID: it contains
// every message stored there.
func (g *Staging) Extends(ctx context.Context, sessionID string) (bool, error) {
	if err := g.store.AwaitWrites(ctx); err != nil {
		return false, err
	}
	_, dir, err := g.store.Existing(sessionID)
	if err != nil {
		return false, err
	}
	for _, of := range []log.Stream{log.MessageStream, log.TranscriptStream} {
		r, err := compareStreams(ctx, dir, g.dir, of)
		if err != nil || r == log.RelationOther {
			return false, err
		}
	}
	// A document is replaced as a whole: that of the longer conversation is the later one.
	return true, nil
}

// Replace is Keep for an ID that the store has already: it moves the stored session to the
// trash. The new session inherits the files of checkpoints that only the old one has.
func (g *Staging) Replace(ctx context.Context, sessionID string, edit func(*conversation.SessionMetadata)) error {
	_, dir, err := g.store.Existing(sessionID)
	if err == nil {
		err = g.inherit(dir)
	}
	if err == nil {
		err = trash.Delete(ctx, g.store, sessionID)
	}
	if err != nil && !errors.Is(err, layout.ErrNotFound) {
		return err
	}
	err = g.Keep(ctx, sessionID, sessionID, edit)
	if err != nil {
		return errors.Join(err, trash.Undelete(context.WithoutCancel(ctx), g.store, sessionID))
	}
	return nil
}

// inherit shares the checkpoints of dir that the staged session does not have.
func (g *Staging) inherit(dir string) error {
	names, err := layout.CheckpointNames(dir)
	if err != nil {
		return err
	}
	have, err := layout.CheckpointNames(g.dir)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, name := range have {
		known[name] = true
	}
	for _, name := range names {
		if known[name] {
			continue
		}
		if err := layout.ShareTree(filepath.Join(dir, layout.CheckpointsName, name), filepath.Join(g.dir, layout.CheckpointsName, name)); err != nil {
			return err
		}
	}
	return layout.ShareMissing(filepath.Join(dir, layout.BlobsName), filepath.Join(g.dir, layout.BlobsName))
}
