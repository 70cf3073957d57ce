package records

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/bodies"
	"entire/internal/git"
)

// SessionContent contains everything that a checkpoint stores of a session.
type SessionContent struct {
	Metadata   metadata.CommittedMetadata
	Transcript []byte // of the whole session, from its beginning
	Prompts    string // joined by PromptSeparator
	Context    string // context.md

	// HashMismatch is set if Transcript does not have the stored hash. It is nil, too, if no
	// hash is stored.
	HashMismatch *chunk.HashMismatchError

	// Problem is why Transcript is empty, if it is in a bucket and not to be had; nil otherwise.
	Problem error
}

// Session reads everything about one session of a checkpoint, by its index in Summary.Sessions.
// With an error about metadata or chunks that could not be read it returns the rest.
func (r *Reader) Session(ctx context.Context, cp id.CheckpointID, index int) (*SessionContent, error) {
	f, err := r.folder(ctx, cp)
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= len(f.Slots) {
		return nil, fmt.Errorf("session %d of checkpoint %s, which has %d: %w", index, cp, len(f.Slots), metadata.ErrSessionNotFound)
	}
	return r.content(ctx, cp, &f.Slots[index])
}

// LatestSession reads the session that was added last.
func (r *Reader) LatestSession(ctx context.Context, cp id.CheckpointID) (*SessionContent, error) {
	f, err := r.folder(ctx, cp)
	if err != nil {
		return nil, err
	}
	if len(f.Slots) == 0 {
		return nil, errors.Join(fmt.Errorf("checkpoint %s: %w", cp, metadata.ErrSessionNotFound), f.Err)
	}
	return r.content(ctx, cp, &f.Slots[len(f.Slots)-1])
}

// SessionByID is Session by the session's own ID; [metadata.ErrSessionNotFound] if the checkpoint does
// not have it.
func (r *Reader) SessionByID(ctx context.Context, cp id.CheckpointID, sessionID string) (*SessionContent, error) {
	s, err := r.slot(ctx, cp, sessionID)
	if err != nil {
		return nil, err
	}
	return r.content(ctx, cp, s)
}

// slot finds a session in a checkpoint.
func (r *Reader) slot(ctx context.Context, cp id.CheckpointID, sessionID string) (*metadata.Slot, error) {
	f, err := r.folder(ctx, cp)
	if err != nil {
		return nil, err
	}
	s, unreadable := f.Session(sessionID)
	if s == nil {
		return nil, errors.Join(fmt.Errorf("session %q of checkpoint %s: %w", sessionID, cp, metadata.ErrSessionNotFound), unreadable)
	}
	return s, nil
}

// Prompts reads the prompts of checkpoints, not their transcripts: one text for each session,
// in the order of Summary.Sessions, and "" if it has none. It leaves out checkpoints that do
// not exist.
func (r *Reader) Prompts(ctx context.Context, ids []id.CheckpointID) (map[id.CheckpointID][]string, error) {
	folders, err := r.findWith(ctx, ids, metadata.Brief)
	if err != nil {
		return nil, err
	}
	return r.promptsOf(ctx, folders)
}

// promptsOf is Prompts for checkpoints that were found.
func (r *Reader) promptsOf(ctx context.Context, folders []*metadata.Folder) (map[id.CheckpointID][]string, error) {
	prompts := make(map[id.CheckpointID][]string, len(folders))
	var ask chunk.Batch
	for _, f := range folders {
		if f == nil {
			continue
		}
		texts := make([]string, len(f.Slots))
		prompts[f.ID] = texts
		for i := range f.Slots {
			if e, ok := f.Slots[i].File(metadata.PromptName); ok {
				ask.Add(e.OID.String(), func(o git.Object) error {
					texts[i] = string(o.Data)
					return nil
				})
			}
		}
	}
	return prompts, ask.Run(r.Repo.Reader(ctx))
}

// content reads a slot.
func (r *Reader) content(ctx context.Context, cp id.CheckpointID, s *metadata.Slot) (*SessionContent, error) {
	c := &SessionContent{Metadata: s.Meta}
	var ask chunk.Batch
	text := func(name string, into *string) {
		if e, ok := s.File(name); ok {
			ask.Add(e.OID.String(), func(o git.Object) error {
				*into = string(o.Data)
				return o.Sealed
			})
		}
	}
	var stored string
	text(metadata.PromptName, &c.Prompts)
	text(metadata.ContextName, &c.Context)
	text(metadata.ContentHashName, &stored)
	if err := ask.Run(r.Repo.Reader(ctx)); err != nil {
		return nil, err
	}
	data, missing, err := chunk.ReadTranscript(r.Repo.Reader(ctx), s.Files, s.Meta.Agent)
	if absent := (*bodies.AbsentError)(nil); errors.As(err, &absent) {
		c.Problem = absent
		return c, err
	}
	if err != nil {
		return nil, err
	}
	c.Transcript = data
	if len(missing) > 0 {
		return c, &chunk.MissingChunkError{Checkpoint: cp, Session: s.Meta.SessionID, Names: missing}
	}
	if stored = strings.TrimSpace(stored); stored != "" && data != nil && stored != chunk.HashOf(data) {
		c.HashMismatch = &chunk.HashMismatchError{Checkpoint: cp, Session: s.Meta.SessionID, Stored: stored, Computed: chunk.HashOf(data)}
	}
	return c, s.Err
}

// SubagentTranscripts returns the stored transcripts of the subagents of a checkpoint's session
// that have at most limit bytes, in the order of the names of their calls.
func (r *Reader) SubagentTranscripts(ctx context.Context, cp id.CheckpointID, sessionID string, limit int64) ([][]byte, error) {
	s, err := r.slot(ctx, cp, sessionID)
	if err != nil {
		return nil, err
	}
	return chunk.SubagentTranscriptsIn(r.Repo.Reader(ctx), s.Files, limit)
}
