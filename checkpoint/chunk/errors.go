package chunk

import (
	"fmt"
	"strings"

	"entire/id"
)

// MissingChunkError is returned, together with the rest, for a transcript with missing chunks.
type MissingChunkError struct {
	Checkpoint id.CheckpointID // zero for the transcript of a step
	Session    string
	Names      []string
}

func (e *MissingChunkError) Error() string {
	return fmt.Sprintf("transcript%s is incomplete: %s missing", location(e.Checkpoint, e.Session), strings.Join(e.Names, ", "))
}

// HashMismatchError says that a transcript does not have its stored hash. The transcript is
// returned all the same.
type HashMismatchError struct {
	Checkpoint id.CheckpointID
	Session    string
	Stored     string // the hash in content_hash.txt
	Computed   string
}

func (e *HashMismatchError) Error() string {
	return fmt.Sprintf("transcript%s has hash %s, but %s was stored", location(e.Checkpoint, e.Session), e.Computed, e.Stored)
}

func location(cp id.CheckpointID, session string) string {
	s := ""
	if session != "" {
		s += " of session " + session
	}
	if !cp.IsZero() {
		s += " in checkpoint " + cp.String()
	}
	return s
}
