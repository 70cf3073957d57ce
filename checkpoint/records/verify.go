package records

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/bodies"
	"entire/internal/git"
	"entire/internal/vault"
)

// OutOfReach reports whether an error says that something is stored, and only cannot be read on this machine: no key here
// opens it, or it is in a bucket and not in this clone.
func OutOfReach(err error) bool {
	var sealed *vault.SealedError
	return errors.As(err, &sealed) && !sealed.Damaged() || errors.Is(err, bodies.ErrNotHere)
}

// verifyBatch is how many checkpoints are read in one round.
const verifyBatch = 64

// Verify reads everything that is stored of checkpoints, including transcripts, and calls bad
// for each thing that is missing, unreadable, or without its stored hash. It calls seen with
// its progress; it may call both many times. It returns only errors of the store as a whole. What is sealed
// and cannot be opened here, or is in a bucket and not in this clone, is not bad: it is not examined.
func (r *Reader) Verify(ctx context.Context, ids []id.CheckpointID, seen func(done int), found func(id.CheckpointID, error)) error {
	bad := func(cp id.CheckpointID, err error) {
		if !errors.Is(err, vault.ErrNoKey) && !errors.Is(err, bodies.ErrNotHere) {
			found(cp, err)
		}
	}
	for from := 0; from < len(ids); from += verifyBatch {
		some := ids[from:min(from+verifyBatch, len(ids))]
		folders, err := r.find(ctx, some)
		if err != nil { // read them one by one to find the checkpoint with the error
			folders = make([]*metadata.Folder, len(some))
			for i, cp := range some {
				if folders[i], err = r.folder(ctx, cp); err != nil {
					bad(cp, err)
				}
			}
		}
		for i, f := range folders {
			if f != nil {
				r.verify(ctx, some[i], f, bad)
			}
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("verify checkpoints: %w", err)
		}
		seen(from + len(some))
	}
	return nil
}

func (r *Reader) verify(ctx context.Context, cp id.CheckpointID, f *metadata.Folder, bad func(id.CheckpointID, error)) {
	if f.Err != nil {
		bad(cp, f.Err)
	}
	for i := range f.Slots {
		s := &f.Slots[i]
		if s.Err != nil {
			bad(cp, s.Err)
			continue
		}
		c, err := r.content(ctx, cp, s)
		switch {
		case err != nil:
			bad(cp, err)
		case c.HashMismatch != nil:
			bad(cp, c.HashMismatch)
		case lostTranscript(s):
			bad(cp, fmt.Errorf("session %d has the hash of a transcript, and no transcript", s.Number))
		}
	}
	for _, set := range f.Sets {
		if err := r.verifyMessages(ctx, cp, set); err != nil {
			bad(cp, err)
		}
	}
}

// verifyMessages reads all messages of a session, chunk by chunk.
func (r *Reader) verifyMessages(ctx context.Context, cp id.CheckpointID, set *metadata.MessageSet) error {
	if set.Err != nil {
		return set.Err
	}
	o := &OpenConversation{Conversation: Conversation{Checkpoint: cp, SessionID: set.Info.SessionID}, Info: &set.Info, r: r, set: set}
	for _, err := range o.Messages(ctx) {
		if err != nil {
			return fmt.Errorf("%s: %w", set.Index.Name, err)
		}
	}
	return nil
}

// lostTranscript reports whether the slot has the hash of a transcript but no chunk of it.
func lostTranscript(s *metadata.Slot) bool {
	return slices.ContainsFunc(s.Files, func(e git.TreeEntry) bool { return e.Name == metadata.ContentHashName }) &&
		!slices.ContainsFunc(s.Files, chunk.IsChunk)
}
