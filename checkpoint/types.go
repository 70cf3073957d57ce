package checkpoint

import (
	"time"
)

// Type indicates the storage location and lifecycle of a checkpoint.
type Type int

const (
	// Temporary checkpoints hold full state (code and metadata) and live on
	// shadow branches. They are for rewinding within a session.
	Temporary Type = iota

	// Committed checkpoints hold metadata and a reference to a commit, and
	// live on entire/checkpoints/v1. They are the permanent record.
	Committed
)

// Checkpoint represents a save point within a session.
type Checkpoint struct {
	ID        string // unique
	SessionID string
	Timestamp time.Time
	Type      Type
	Message   string // for people
}

// Info provides summary information for listing checkpoints of either type.
type Info struct {
	ID        string
	SessionID string
	Type      Type
	CreatedAt time.Time
	Message   string
}
