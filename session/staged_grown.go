package session

import (
	"context"
	"errors"
	"path/filepath"
)

// Extends reports whether what was taken in goes on from where the session of an ID is
// here: all that was said there is in it.
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
	// A document is replaced whole: that of a conversation that went on is the later.
	return true, nil
}

// Replace is Keep where there is a session of the ID already, which goes to the trash.
// What only it has, the files of its checkpoints and of subagents, comes along.
func (g *Staging) Replace(ctx context.Context, sessionID string, edit func(*SessionMetadata)) error {
	_, dir, err := g.store.existing(sessionID)
	if err == nil {
		err = g.inherit(dir)
	}
	if err == nil {
		err = g.store.DeleteContext(ctx, sessionID)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	err = g.Keep(ctx, sessionID, sessionID, edit)
	if err != nil {
		return errors.Join(err, g.store.Undelete(context.WithoutCancel(ctx), sessionID))
	}
	return nil
}

// inherit shares the checkpoints of dir that are not here.
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
