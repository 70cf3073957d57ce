package checkpoint

import (
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// WriteTemporaryOptions contains options for writing a temporary checkpoint.
// Paths are relative to the top of the worktree, with forward slashes.
type WriteTemporaryOptions struct {
	SessionID     string
	BaseCommit    string // the commit the session is based on
	WorktreeID    string // empty for the main worktree
	ModifiedFiles []string
	NewFiles      []string
	DeletedFiles  []string

	// MetadataDir is the folder of the session's metadata in the tree, and MetadataDirAbs the
	// directory that it is copied from.
	MetadataDir    string
	MetadataDirAbs string

	CommitMessage string // the subject
	AuthorName    string
	AuthorEmail   string

	// IsFirstCheckpoint captures every file that git reports as changed or new, whatever
	// ModifiedFiles and NewFiles contain.
	IsFirstCheckpoint bool
}

// WriteTemporaryResult contains the result of writing a temporary checkpoint.
type WriteTemporaryResult struct {
	CommitHash plumbing.Hash // the new commit, or the existing one with the same state
	Skipped    bool          // nothing changed since the previous checkpoint
}

// WriteTemporaryTaskOptions contains options for writing a task checkpoint: the state of the
// files and the data of a subagent's run.
type WriteTemporaryTaskOptions struct {
	SessionID     string
	BaseCommit    string // the commit the session is based on
	WorktreeID    string // empty for the main worktree
	ToolUseID     string // of the tool call that is the task
	AgentID       string // of the subagent
	ModifiedFiles []string
	NewFiles      []string
	DeletedFiles  []string

	TranscriptPath         string // the session's
	SubagentTranscriptPath string
	CheckpointUUID         string // where a rewind cuts the transcript

	CommitMessage string // the subject
	AuthorName    string
	AuthorEmail   string

	// Incremental checkpoints are made during the run. If the sequence number is taken, the
	// next free one is used: no checkpoint replaces another.
	IsIncremental       bool
	IncrementalSequence int
	IncrementalType     string // the tool that triggered it
	IncrementalData     []byte // the tool's input
}

// ReadTemporaryResult contains the result of reading a temporary checkpoint.
type ReadTemporaryResult struct {
	CommitHash  plumbing.Hash
	TreeHash    plumbing.Hash // of the tree with the checkpoint's state
	SessionID   string        // from the commit's trailer
	MetadataDir string        // from the commit's trailer
	Timestamp   time.Time
}

// TemporaryInfo contains summary information about a shadow branch.
type TemporaryInfo struct {
	BranchName   string // without refs/heads/
	BaseCommit   string // short, from the name
	LatestCommit plumbing.Hash
	SessionID    string    // from the latest commit
	Timestamp    time.Time // of the latest commit
}

// TemporaryCheckpointInfo contains information about one commit on a shadow
// branch.
type TemporaryCheckpointInfo struct {
	CommitHash       plumbing.Hash
	Message          string // its first line
	SessionID        string // from the Entire-Session trailer
	MetadataDir      string // from the trailers
	IsTaskCheckpoint bool
	ToolUseID        string
	Timestamp        time.Time
}
