package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
)

// SessionContent contains everything that a checkpoint stores of a session.
type SessionContent struct {
	Metadata   CommittedMetadata
	Transcript []byte // of the whole session, from its beginning
	Prompts    string // joined by PromptSeparator
	Context    string // context.md

	// HashMismatch is set if Transcript does not have the stored hash. It is nil, too, if no
	// hash is stored.
	HashMismatch *HashMismatchError
}

// Session reads everything about one session of a checkpoint, by its index in Summary.Sessions.
// With an error about metadata or chunks that could not be read it returns the rest.
func (r *Records) Session(ctx context.Context, cp id.CheckpointID, index int) (*SessionContent, error) {
	f, err := r.folder(ctx, cp)
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= len(f.slots) {
		return nil, fmt.Errorf("session %d of checkpoint %s, which has %d: %w", index, cp, len(f.slots), ErrSessionNotFound)
	}
	return r.content(ctx, cp, &f.slots[index])
}

// LatestSession reads the session that was added last.
func (r *Records) LatestSession(ctx context.Context, cp id.CheckpointID) (*SessionContent, error) {
	f, err := r.folder(ctx, cp)
	if err != nil {
		return nil, err
	}
	if len(f.slots) == 0 {
		return nil, errors.Join(fmt.Errorf("checkpoint %s: %w", cp, ErrSessionNotFound), f.err)
	}
	return r.content(ctx, cp, &f.slots[len(f.slots)-1])
}

// SessionByID is Session by the session's own ID; [ErrSessionNotFound] if the checkpoint does
// not have it.
func (r *Records) SessionByID(ctx context.Context, cp id.CheckpointID, sessionID string) (*SessionContent, error) {
	f, err := r.folder(ctx, cp)
	if err != nil {
		return nil, err
	}
	s, unreadable := f.session(sessionID)
	if s == nil {
		return nil, errors.Join(fmt.Errorf("session %q of checkpoint %s: %w", sessionID, cp, ErrSessionNotFound), unreadable)
	}
	return r.content(ctx, cp, s)
}

// Prompts reads the prompts of checkpoints, not their transcripts: one text for each session,
// in the order of Summary.Sessions, and "" if it has none. It leaves out checkpoints that do
// not exist.
func (r *Records) Prompts(ctx context.Context, ids []id.CheckpointID) (map[id.CheckpointID][]string, error) {
	folders, err := r.findWith(ctx, ids, true)
	if err != nil {
		return nil, err
	}
	prompts := make(map[id.CheckpointID][]string, len(ids))
	var ask batch
	for _, f := range folders {
		if f == nil {
			continue
		}
		texts := make([]string, len(f.slots))
		prompts[f.id] = texts
		for i := range f.slots {
			if e, ok := f.slots[i].file(promptName); ok {
				ask.add(e.OID.String(), func(o git.Object) error {
					texts[i] = string(o.Data)
					return nil
				})
			}
		}
	}
	return prompts, ask.run(r.repo.Reader(ctx))
}

// Chunks returns the stored chunks of a session's transcript, for a caller that continues the
// transcript (see [RestoreLog]).
func (r *Records) Chunks(ctx context.Context, cp id.CheckpointID, sessionID string) ([]git.TreeEntry, error) {
	f, err := r.folder(ctx, cp)
	if err != nil {
		return nil, err
	}
	s, unreadable := f.session(sessionID)
	if s == nil {
		return nil, errors.Join(fmt.Errorf("session %q of checkpoint %s: %w", sessionID, cp, ErrSessionNotFound), unreadable)
	}
	chunks, missing := chunkEntries(s.files)
	if len(missing) > 0 {
		return chunks, &MissingChunkError{Checkpoint: cp, Session: sessionID, Names: missing}
	}
	return chunks, nil
}

// content reads a slot.
func (r *Records) content(ctx context.Context, cp id.CheckpointID, s *slot) (*SessionContent, error) {
	c := &SessionContent{Metadata: s.meta}
	var ask batch
	text := func(name string, into *string) {
		if e, ok := s.file(name); ok {
			ask.add(e.OID.String(), func(o git.Object) error {
				*into = string(o.Data)
				return nil
			})
		}
	}
	var stored string
	text(promptName, &c.Prompts)
	text(contextName, &c.Context)
	text(contentHashName, &stored)
	if err := ask.run(r.repo.Reader(ctx)); err != nil {
		return nil, err
	}
	data, missing, err := readTranscript(r.repo.Reader(ctx), s.files, s.meta.Agent)
	if err != nil {
		return nil, err
	}
	c.Transcript = data
	if len(missing) > 0 {
		return c, &MissingChunkError{Checkpoint: cp, Session: s.meta.SessionID, Names: missing}
	}
	if stored = strings.TrimSpace(stored); stored != "" && data != nil && stored != hashOf(data) {
		c.HashMismatch = &HashMismatchError{Checkpoint: cp, Session: s.meta.SessionID, Stored: stored, Computed: hashOf(data)}
	}
	return c, s.err
}

// readTranscript joins the chunks in a folder; the result is nil if there are none. It returns
// the names of chunks that the folder or the object store does not have.
func readTranscript(rd *git.Reader, files []git.TreeEntry, kind agent.AgentType) (data []byte, missing []string, err error) {
	entries, missing := chunkEntries(files)
	if len(entries) == 0 {
		return nil, missing, nil
	}
	var chunks [][]byte
	var ask batch
	for _, e := range entries {
		ask.add(e.OID.String(), func(o git.Object) error {
			if o.Type == "blob" {
				chunks = append(chunks, o.Data)
			} else {
				missing = append(missing, e.Name)
			}
			return nil
		})
	}
	if err := ask.run(rd); err != nil {
		return nil, nil, err
	}
	return joinTranscript(kind, chunks), missing, nil
}
