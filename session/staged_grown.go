package session

import (
	"context"
	"errors"
	"path/filepath"
)

// Extends reports whether the staged session continues the stored session of an ID: it contains
// every message stored there.
func (g *Staging) Extends(ctx context.Context, sessionID string) (bool, error) {
	if err := g.store.settle(ctx); err != nil {
		return false, err
	}
	_, dir, err := g.store.existing(sessionID)
	if err != nil {
		return false, err
	}
	for _, of := range []stream{messageStream, transcriptStream} {
		r, err := compareStreams(ctx, dir, g.dir, of)
		if err != nil || r == RelationOther {
			return false, err
		}
	}
	// A document is replaced as a whole: that of the longer conversation is the later one.
	return true, nil
}

// Replace is Keep for an ID that the store has already: it moves the stored session to the
// trash. The new session inherits the files of checkpoints that only the old one has.
func (g *Staging) Replace(ctx context.Context, sessionID string, edit func(*SessionMetadata)) error {
	_, dir, err := g.store.existing(sessionID)
	if err == nil {
		err = g.inherit(dir)
	}
	if err == nil {
		err = deleteSession(ctx, g.store, sessionID)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	err = g.Keep(ctx, sessionID, sessionID, edit)
	if err != nil {
		return errors.Join(err, undelete(context.WithoutCancel(ctx), g.store, sessionID))
	}
	return nil
}

// inherit shares the checkpoints of dir that the staged session does not have.
func (g *Staging) inherit(dir string) error {
	names, err := checkpointNames(dir)
	if err != nil {
		return err
	}
	have, err := checkpointNames(g.dir)
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
		if err := shareTree(filepath.Join(dir, checkpointsName, name), filepath.Join(g.dir, checkpointsName, name)); err != nil {
			return err
		}
	}
	return shareNew(filepath.Join(dir, blobsName), filepath.Join(g.dir, blobsName))
}
