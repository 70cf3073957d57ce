package checkpoint

import (
	"entire/agent"
	"entire/id"
)

// WriteCommittedOptions contains options for writing a committed checkpoint. Transcript,
// Prompts, Context and the files named here are redacted before they are stored.
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

	// MetadataDir is a directory whose files are all copied to the session, except links.
	MetadataDir string

	// Task checkpoints only.
	IsTask                 bool
	ToolUseID              string
	AgentID                string // of the subagent
	CheckpointUUID         string // where a rewind cuts the transcript
	TranscriptPath         string // file to take Transcript from if that is empty
	SubagentTranscriptPath string

	// Incremental checkpoints, made inside a subagent's run.
	IsIncremental       bool
	IncrementalSequence int
	IncrementalType     string // the tool that triggered it
	IncrementalData     []byte // the tool's input

	CLIVersion string
	TurnID     string // the turn in which the commit was made

	CommitSubject string // added to the commit message

	Agent agent.AgentType

	TranscriptIdentifierAtStart string // the last identifier before this checkpoint's part
	CheckpointTranscriptStart   int    // the line at which this checkpoint's part begins

	TokenUsage         *agent.TokenUsage
	InitialAttribution *InitialAttribution
	Summary            *Summary // nil when there is none
}
