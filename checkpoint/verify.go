package checkpoint

import (
	"context"
	"fmt"
	"slices"

	"entire/id"
	"entire/internal/git"
)

// verifyBatch is how many checkpoints are read in one round.
const verifyBatch = 64

// Verify reads everything that is stored of checkpoints, including transcripts, and calls bad
// for each thing that is missing, unreadable, or without its stored hash. It calls seen with
// its progress; it may call both many times. It returns only errors of the store as a whole.
func (r *Records) Verify(ctx context.Context, ids []id.CheckpointID, seen func(done int), bad func(id.CheckpointID, error)) error {
	for from := 0; from < len(ids); from += verifyBatch {
		some := ids[from:min(from+verifyBatch, len(ids))]
		folders, err := r.find(ctx, some)
		if err != nil { // read them one by one to find the checkpoint with the error
			folders = make([]*folder, len(some))
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

func (r *Records) verify(ctx context.Context, cp id.CheckpointID, f *folder, bad func(id.CheckpointID, error)) {
	if f.err != nil {
		bad(cp, f.err)
	}
	for i := range f.slots {
		s := &f.slots[i]
		if s.err != nil {
			bad(cp, s.err)
			continue
		}
		c, err := r.content(ctx, cp, s)
		switch {
		case err != nil:
			bad(cp, err)
		case c.HashMismatch != nil:
			bad(cp, c.HashMismatch)
		case s.lostTalk():
			bad(cp, fmt.Errorf("session %d has the hash of a transcript, and no transcript", s.number))
		}
	}
	for _, set := range f.sets {
		if err := r.verifyMessages(ctx, cp, set); err != nil {
			bad(cp, err)
		}
	}
}

// verifyMessages reads all messages of a session, chunk by chunk.
func (r *Records) verifyMessages(ctx context.Context, cp id.CheckpointID, set *messageSet) error {
	if set.err != nil {
		return set.err
	}
	o := &OpenTalk{Talk: Talk{Checkpoint: cp, SessionID: set.info.SessionID}, Info: &set.info, r: r, set: set}
	for _, err := range o.Messages(ctx) {
		if err != nil {
			return fmt.Errorf("%s: %w", set.index.Name, err)
		}
	}
	return nil
}

// lostTalk reports whether the slot has the hash of a transcript but no chunk of it.
func (s *slot) lostTalk() bool {
	return slices.ContainsFunc(s.files, func(e git.TreeEntry) bool { return e.Name == contentHashName }) &&
		!slices.ContainsFunc(s.files, isChunk)
}
