package records

import (
	"time"

	"entire/agent"
	"entire/id"
)

// Author is who made a commit.
type Author struct {
	Name  string
	Email string
}

// CommittedInfo contains summary information about a committed checkpoint.
type CommittedInfo struct {
	CheckpointID     id.CheckpointID
	SessionID        string    // the ID of the latest session
	CreatedAt        time.Time // of that session's record
	CheckpointsCount int       // steps of all sessions
	FilesTouched     []string  // by all sessions
	Agent            agent.AgentType
	IsTask           bool
	ToolUseID        string

	SessionCount int
	SessionIDs   []string // all sessions, in the order in which they were added
}
