package checkpoint_test

import (
	"context"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
)

// The documented API, as other programs compile against it.
var (
	_ func(*git.Repository, map[string]object.TreeEntry) (plumbing.Hash, error)      = checkpoint.BuildTreeFromEntries
	_ func(*git.Repository, []byte) (plumbing.Hash, error)                           = checkpoint.CreateBlobFromContent
	_ func(*git.Repository, *object.Tree, string, map[string]object.TreeEntry) error = checkpoint.FlattenTree
	_ func(string) string                                                            = checkpoint.HashWorktreeID
	_ func(id.CheckpointID) ([]byte, string, error)                                  = checkpoint.LookupSessionLog
	_ func(branchName string) (commitPrefix, worktreeHash string, ok bool)           = checkpoint.ParseShadowBranchName
	_ func(baseCommit, worktreeID string) string                                     = checkpoint.ShadowBranchNameForCommit
	_ func(*git.Repository) *checkpoint.GitStore                                     = checkpoint.NewGitStore
	_ func(checkpoint.CommittedMetadata) int                                         = checkpoint.CommittedMetadata.GetTranscriptStart
	_ checkpoint.Store                                                               = (*checkpoint.GitStore)(nil)
	_ []error                                                                        = []error{checkpoint.ErrCheckpointNotFound, checkpoint.ErrNoTranscript}
	_ [2]checkpoint.Type                                                             = [2]checkpoint.Type{checkpoint.Temporary, checkpoint.Committed}

	_ interface {
		DeleteShadowBranch(baseCommit, worktreeID string) error
		GetCheckpointAuthor(ctx context.Context, checkpointID id.CheckpointID) (checkpoint.Author, error)
		GetSessionLog(cpID id.CheckpointID) ([]byte, string, error)
		GetTranscript(ctx context.Context, checkpointID id.CheckpointID) ([]byte, error)
		GetTranscriptFromCommit(commitHash plumbing.Hash, metadataDir string, agentType agent.AgentType) ([]byte, error)
		ListAllTemporaryCheckpoints(ctx context.Context, sessionID string, limit int) ([]checkpoint.TemporaryCheckpointInfo, error)
		ListCheckpointsForBranch(ctx context.Context, branchName, sessionID string, limit int) ([]checkpoint.TemporaryCheckpointInfo, error)
		ListCommitted(ctx context.Context) ([]checkpoint.CommittedInfo, error)
		ListTemporary(ctx context.Context) ([]checkpoint.TemporaryInfo, error)
		ListTemporaryCheckpoints(ctx context.Context, baseCommit, worktreeID, sessionID string, limit int) ([]checkpoint.TemporaryCheckpointInfo, error)
		ReadCommitted(ctx context.Context, checkpointID id.CheckpointID) (*checkpoint.CheckpointSummary, error)
		ReadLatestSessionContent(ctx context.Context, checkpointID id.CheckpointID) (*checkpoint.SessionContent, error)
		ReadSessionContent(ctx context.Context, checkpointID id.CheckpointID, sessionIndex int) (*checkpoint.SessionContent, error)
		ReadSessionContentByID(ctx context.Context, checkpointID id.CheckpointID, sessionID string) (*checkpoint.SessionContent, error)
		ReadTemporary(ctx context.Context, baseCommit, worktreeID string) (*checkpoint.ReadTemporaryResult, error)
		Repository() *git.Repository
		ShadowBranchExists(baseCommit, worktreeID string) bool
		UpdateSummary(ctx context.Context, checkpointID id.CheckpointID, summary *checkpoint.Summary) error
		WriteCommitted(ctx context.Context, opts checkpoint.WriteCommittedOptions) error
		WriteTemporary(ctx context.Context, opts checkpoint.WriteTemporaryOptions) (checkpoint.WriteTemporaryResult, error)
		WriteTemporaryTask(ctx context.Context, opts checkpoint.WriteTemporaryTaskOptions) (plumbing.Hash, error)
	} = (*checkpoint.GitStore)(nil)
)

const (
	_ string = checkpoint.ShadowBranchPrefix
	_ int    = checkpoint.ShadowBranchHashLength
	_ int    = checkpoint.WorktreeIDHashLength
)

// The documented fields. Unknown names would not compile.
var (
	_ = checkpoint.Checkpoint{ID: "", SessionID: "", Timestamp: time.Time{}, Type: checkpoint.Committed, Message: ""}
	_ = checkpoint.CheckpointSummary{CLIVersion: "", CheckpointID: id.CheckpointID{}, Strategy: "", Branch: "", CheckpointsCount: 0,
		FilesTouched: []string(nil), Sessions: []checkpoint.SessionFilePaths(nil), TokenUsage: (*agent.TokenUsage)(nil)}
	_ = checkpoint.SessionFilePaths{Metadata: "", Transcript: "", Context: "", ContentHash: "", Prompt: ""}
	_ = checkpoint.CommittedInfo{CheckpointID: id.CheckpointID{}, SessionID: "", CreatedAt: time.Time{}, CheckpointsCount: 0,
		FilesTouched: []string(nil), Agent: agent.AgentType(""), IsTask: false, ToolUseID: "", SessionCount: 0, SessionIDs: []string(nil)}
	_ = checkpoint.CommittedMetadata{CLIVersion: "", CheckpointID: id.CheckpointID{}, SessionID: "", Strategy: "", CreatedAt: time.Time{}, Branch: "",
		CheckpointsCount: 0, FilesTouched: []string(nil), Agent: agent.AgentType(""), IsTask: false, ToolUseID: "", TranscriptIdentifierAtStart: "",
		CheckpointTranscriptStart: 0, TranscriptLinesAtStart: 0, TokenUsage: (*agent.TokenUsage)(nil), Summary: (*checkpoint.Summary)(nil),
		InitialAttribution: (*checkpoint.InitialAttribution)(nil)}
	_ = checkpoint.Info{ID: "", SessionID: "", Type: checkpoint.Temporary, CreatedAt: time.Time{}, Message: ""}
	_ = checkpoint.InitialAttribution{CalculatedAt: time.Time{}, AgentLines: 0, HumanAdded: 0, HumanModified: 0, HumanRemoved: 0, TotalCommitted: 0, AgentPercentage: 0}
	_ = checkpoint.Summary{Intent: "", Outcome: "", Friction: []string(nil), OpenItems: []string(nil), Learnings: checkpoint.LearningsSummary{
		Repo: []string(nil), Code: []checkpoint.CodeLearning{{Path: "", Line: 0, EndLine: 0, Finding: ""}}, Workflow: []string(nil)}}
	_ = checkpoint.SessionContent{Metadata: checkpoint.CommittedMetadata{}, Transcript: []byte(nil), Prompts: "", Context: ""}
	_ = checkpoint.ReadTemporaryResult{CommitHash: plumbing.Hash{}, TreeHash: plumbing.Hash{}, SessionID: "", MetadataDir: "", Timestamp: time.Time{}}
	_ = checkpoint.TemporaryInfo{BranchName: "", BaseCommit: "", LatestCommit: plumbing.Hash{}, SessionID: "", Timestamp: time.Time{}}
	_ = checkpoint.TemporaryCheckpointInfo{CommitHash: plumbing.Hash{}, Message: "", SessionID: "", MetadataDir: "", IsTaskCheckpoint: false, ToolUseID: "", Timestamp: time.Time{}}
	_ = checkpoint.WriteTemporaryResult{CommitHash: plumbing.Hash{}, Skipped: false}
	_ = checkpoint.Author{Name: "", Email: ""}
	_ = checkpoint.WriteCommittedOptions{CheckpointID: id.CheckpointID{}, SessionID: "", Strategy: "", Branch: "", Transcript: []byte(nil),
		Prompts: []string(nil), Context: []byte(nil), FilesTouched: []string(nil), CheckpointsCount: 0, EphemeralBranch: "", AuthorName: "",
		AuthorEmail: "", MetadataDir: "", IsTask: false, ToolUseID: "", AgentID: "", CheckpointUUID: "", TranscriptPath: "",
		SubagentTranscriptPath: "", IsIncremental: false, IncrementalSequence: 0, IncrementalType: "", IncrementalData: []byte(nil),
		CommitSubject: "", Agent: agent.AgentType(""), TranscriptIdentifierAtStart: "", CheckpointTranscriptStart: 0,
		TokenUsage: (*agent.TokenUsage)(nil), InitialAttribution: (*checkpoint.InitialAttribution)(nil), Summary: (*checkpoint.Summary)(nil)}
	_ = checkpoint.WriteTemporaryOptions{SessionID: "", BaseCommit: "", WorktreeID: "", ModifiedFiles: []string(nil), NewFiles: []string(nil),
		DeletedFiles: []string(nil), MetadataDir: "", MetadataDirAbs: "", CommitMessage: "", AuthorName: "", AuthorEmail: "", IsFirstCheckpoint: false}
	_ = checkpoint.WriteTemporaryTaskOptions{SessionID: "", BaseCommit: "", WorktreeID: "", ToolUseID: "", AgentID: "", ModifiedFiles: []string(nil),
		NewFiles: []string(nil), DeletedFiles: []string(nil), TranscriptPath: "", SubagentTranscriptPath: "", CheckpointUUID: "", CommitMessage: "",
		AuthorName: "", AuthorEmail: "", IsIncremental: false, IncrementalSequence: 0, IncrementalType: "", IncrementalData: []byte(nil)}
)
