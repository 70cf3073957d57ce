package checkpoint

import (
	"context"
	"strings"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
)

// SessionContent contains all that is stored of a session in a checkpoint.
type SessionContent struct {
	Metadata   CommittedMetadata
	Transcript []byte // of the whole session, from its beginning
	Prompts    string // joined by PromptSeparator
	Context    string // context.md

	// HashMismatch is set when Transcript is not what the stored hash was made
	// of. nil also where no hash is stored.
	HashMismatch *HashMismatchError
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

// readTranscript joins the chunks in a folder: nil when there are none. It
// names the chunks that are not there, or whose content is not.
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
