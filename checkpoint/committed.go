package checkpoint

import (
	"time"

	"entire/agent"
	"entire/id"
)

// CommittedInfo contains summary information about a committed checkpoint.
type CommittedInfo struct {
	CheckpointID     id.CheckpointID
	SessionID        string    // the most recent session's
	CreatedAt        time.Time // of that session's record
	CheckpointsCount int       // steps of all sessions
	FilesTouched     []string  // by all sessions
	Agent            agent.AgentType
	IsTask           bool
	ToolUseID        string

	SessionCount int
	SessionIDs   []string // all that contributed, in the order they joined
}

// WriteCommittedOptions contains options for writing a committed checkpoint.
// Transcript, Prompts, Context and the files named here are redacted on the
// way.
type WriteCommittedOptions struct {
	CheckpointID     id.CheckpointID
	SessionID        string
	Strategy         string
	Branch           string // empty if HEAD is detached
	Transcript       []byte
	Prompts          []string
	Context          []byte // content of context.md
	FilesTouched     []string
	CheckpointsCount int    // steps of this session
	EphemeralBranch  string // shadow branch name
	AuthorName       string
	AuthorEmail      string

	// MetadataDir is a directory all files of which are copied to the session,
	// links excepted.
	MetadataDir string

	// Task checkpoints only.
	IsTask                 bool
	ToolUseID              string
	AgentID                string // of the subagent
	CheckpointUUID         string // where the transcript is cut when rewinding
	TranscriptPath         string // file to take Transcript from if that is empty
	SubagentTranscriptPath string

	// Incremental checkpoints, made inside a subagent's run.
	IsIncremental       bool
	IncrementalSequence int
	IncrementalType     string // the tool that triggered it
	IncrementalData     []byte // the tool's input

	CLIVersion string
	TurnID     string // the turn in which the commit was made

	CommitSubject string // more about the checkpoint in the commit message

	Agent agent.AgentType

	TranscriptIdentifierAtStart string // last identifier before this checkpoint's part
	CheckpointTranscriptStart   int    // line at which that part begins

	TokenUsage         *agent.TokenUsage
	InitialAttribution *InitialAttribution
	Summary            *Summary // nil when there is none
}
