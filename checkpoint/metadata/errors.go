package metadata

import (
	"errors"
)

// ErrCheckpointNotFound is returned when a checkpoint ID doesn't exist.
var ErrCheckpointNotFound = errors.New("checkpoint not found")

// ErrNoTranscript is returned when a checkpoint exists but has no transcript.
var ErrNoTranscript = errors.New("no transcript found for checkpoint")

// ErrSessionNotFound is returned when a checkpoint exists but does not hold the requested
// session.
var ErrSessionNotFound = errors.New("session not found in checkpoint")
