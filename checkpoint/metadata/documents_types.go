package metadata

import (
	"time"

	"entire/agent"
	"entire/id"
)

// CommittedMetadata is the metadata.json of one session in a checkpoint. The order of the
// fields is the order on disk. Unknown fields of the file are kept.
type CommittedMetadata struct {
	CLIVersion       string          `json:"cli_version,omitempty"`
	CheckpointID     id.CheckpointID `json:"checkpoint_id"`
	SessionID        string          `json:"session_id"` // unverified: check it before it becomes a path
	Strategy         string          `json:"strategy"`
	CreatedAt        time.Time       `json:"created_at"`
	Branch           string          `json:"branch,omitempty"` // empty if HEAD was detached
	CheckpointsCount int             `json:"checkpoints_count"`
	FilesTouched     []string        `json:"files_touched"`

	Agent  agent.AgentType `json:"agent,omitempty"`
	TurnID string          `json:"turn_id,omitempty"` // the turn in which the commit was made

	// Task checkpoints only.
	IsTask    bool   `json:"is_task,omitempty"`
	ToolUseID string `json:"tool_use_id,omitempty"`

	// Where this checkpoint's part of the transcript begins. The identifier is the agent's own
	// (a UUID for Claude); the start is a number of lines.
	TranscriptIdentifierAtStart string `json:"transcript_identifier_at_start,omitempty"`
	CheckpointTranscriptStart   int    `json:"checkpoint_transcript_start,omitempty"`

	// Deprecated: use CheckpointTranscriptStart. Written for older readers.
	TranscriptLinesAtStart int `json:"transcript_lines_at_start,omitempty"`

	TokenUsage         *agent.TokenUsage   `json:"token_usage,omitempty"`
	Summary            *Summary            `json:"summary,omitempty"`
	InitialAttribution *InitialAttribution `json:"initial_attribution,omitempty"`

	// TranscriptPath is where the agent keeps the transcript, below the home directory of the
	// user who wrote the record. It comes from the branch: check it before use.
	TranscriptPath string `json:"transcript_path,omitempty"`

	// Sealed has the members of privateMeta, where the repository seals; they are empty then on disk.
	Sealed string `json:"sealed,omitempty"`
	// Unlisted says that Sealed also has what lists show, which is empty on disk then.
	Unlisted bool `json:"unlisted,omitempty"`

	locked  bool // Sealed could not be opened
	unknown unknownFields
}

// GetTranscriptStart returns the transcript line at which this checkpoint's part begins, 0 for
// the beginning. It falls back to the deprecated field that older versions wrote.
func (m CommittedMetadata) GetTranscriptStart() int {
	if m.CheckpointTranscriptStart > 0 {
		return m.CheckpointTranscriptStart
	}
	return m.TranscriptLinesAtStart
}

// CheckpointSummary is the metadata.json at the root of a checkpoint: sums
// over its sessions, and where each of them lies.
//
//	<checkpoint-id[:2]>/<checkpoint-id[2:]>/
//	├── metadata.json         this CheckpointSummary
//	├── 0/                    first session
//	│   ├── metadata.json     its CommittedMetadata
//	│   ├── full.jsonl        its transcript, continued in full.jsonl.001, …
//	│   ├── prompt.txt
//	│   ├── context.md
//	│   └── content_hash.txt
//	└── 1/                    second session
type CheckpointSummary struct {
	CLIVersion       string             `json:"cli_version,omitempty"`
	CheckpointID     id.CheckpointID    `json:"checkpoint_id"`
	Strategy         string             `json:"strategy"`
	Branch           string             `json:"branch,omitempty"`
	CheckpointsCount int                `json:"checkpoints_count"`
	FilesTouched     []string           `json:"files_touched"`
	Sessions         []SessionFilePaths `json:"sessions"`
	TokenUsage       *agent.TokenUsage  `json:"token_usage,omitempty"`

	unknown unknownFields
}

// SessionFilePaths says where a session's files lie, from the root of the metadata tree and
// beginning with a slash ("/a1/b2c3d4e5f6/0/metadata.json"). A file that was not written has
// "".
type SessionFilePaths struct {
	Metadata    string `json:"metadata"`
	Transcript  string `json:"transcript"`
	Context     string `json:"context"`
	ContentHash string `json:"content_hash"`
	Prompt      string `json:"prompt"`
}

// Summary contains a model's summary of a checkpoint.
type Summary struct {
	Intent    string           `json:"intent"`     // what the user wanted
	Outcome   string           `json:"outcome"`    // what was achieved
	Learnings LearningsSummary `json:"learnings"`  // by scope
	Friction  []string         `json:"friction"`   // problems and annoyances
	OpenItems []string         `json:"open_items"` // debt, unfinished work
}

// LearningsSummary contains learnings grouped by scope.
type LearningsSummary struct {
	Repo     []string       `json:"repo"`     // patterns of the codebase
	Code     []CodeLearning `json:"code"`     // findings in files
	Workflow []string       `json:"workflow"` // ways of working
}

// CodeLearning captures a learning tied to a place in the code.
type CodeLearning struct {
	Path    string `json:"path"`
	Line    int    `json:"line,omitempty"`     // first line
	EndLine int    `json:"end_line,omitempty"` // last line of a range
	Finding string `json:"finding"`
}

// InitialAttribution counts who wrote the lines that a commit added, at the time of the commit.
// TotalCommitted counts the added lines that are in the commit, so a commit that only removes
// lines has 0, and a percentage of 0. Only HumanRemoved counts removals by people.
type InitialAttribution struct {
	CalculatedAt    time.Time `json:"calculated_at"`
	AgentLines      int       `json:"agent_lines"`
	HumanAdded      int       `json:"human_added"`    // without the modified ones
	HumanModified   int       `json:"human_modified"` // an estimate
	HumanRemoved    int       `json:"human_removed"`  // without the modified ones
	TotalCommitted  int       `json:"total_committed"`
	AgentPercentage float64   `json:"agent_percentage"` // AgentLines of TotalCommitted, times 100
}

// WithAgentLines returns the numbers with n more lines of the agent's and the percentage that
// follows.
func (a InitialAttribution) WithAgentLines(n int) InitialAttribution {
	a.AgentLines, a.AgentPercentage = a.AgentLines+n, 0
	if a.TotalCommitted > 0 {
		a.AgentPercentage = float64(a.AgentLines) / float64(a.TotalCommitted) * 100
	}
	return a
}
