package metadata

import (
	"errors"
	"fmt"

	"entire/id"
)

// ErrCheckpointNotFound is returned when a checkpoint ID doesn't exist.
var ErrCheckpointNotFound = errors.New("checkpoint not found")

// ErrNoTranscript is returned when a checkpoint exists but has no transcript.
var ErrNoTranscript = errors.New("no transcript found for checkpoint")

// ErrSessionNotFound is returned when a checkpoint exists but does not hold the requested
// session.
var ErrSessionNotFound = errors.New("session not found in checkpoint")

// ElsewhereError is returned for a checkpoint that a manifest lists and whose content is not in this clone. It is also
// an [ErrCheckpointNotFound].
type ElsewhereError struct{ ID id.CheckpointID }

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("checkpoint %s is sealed, and its content is not in this clone: `entire share fetch %s` gets it", e.ID, e.ID)
}

// Unwrap returns ErrCheckpointNotFound.
func (e *ElsewhereError) Unwrap() error { return ErrCheckpointNotFound }
