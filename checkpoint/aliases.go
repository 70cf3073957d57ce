package checkpoint

import (
	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
)

// The files of a checkpoint on the metadata branch.
type (
	// CheckpointSummary is the metadata.json at the root of a checkpoint.
	CheckpointSummary = metadata.CheckpointSummary

	// SessionFilePaths says where the files of one session lie in the metadata tree.
	SessionFilePaths = metadata.SessionFilePaths

	// CommittedMetadata is the metadata.json of one session in a checkpoint.
	CommittedMetadata = metadata.CommittedMetadata

	// Summary contains a model's summary of a checkpoint.
	Summary = metadata.Summary

	// LearningsSummary contains learnings grouped by scope.
	LearningsSummary = metadata.LearningsSummary

	// CodeLearning captures a learning tied to a place in the code.
	CodeLearning = metadata.CodeLearning

	// InitialAttribution counts who wrote the lines that a commit added.
	InitialAttribution = metadata.InitialAttribution
)

// What is read of a checkpoint.
type (
	// CommittedInfo contains summary information about a committed checkpoint.
	CommittedInfo = records.CommittedInfo

	// SessionContent contains everything that a checkpoint stores of a session.
	SessionContent = records.SessionContent

	// Author is who made a commit.
	Author = records.Author
)

// Errors with details; use [errors.As].
type (
	// MissingChunkError is returned, together with the rest, for a transcript with missing
	// chunks.
	MissingChunkError = chunk.MissingChunkError

	// HashMismatchError says that a transcript does not have its stored hash.
	HashMismatchError = chunk.HashMismatchError

	// ForgottenError is returned for a forgotten checkpoint. It is also an
	// ErrCheckpointNotFound.
	ForgottenError = metadata.ForgottenError
)

// Errors returned by checkpoint operations; use [errors.Is].
var (
	// ErrCheckpointNotFound is returned when a checkpoint ID doesn't exist.
	ErrCheckpointNotFound = metadata.ErrCheckpointNotFound

	// ErrNoTranscript is returned when a checkpoint exists but has no transcript.
	ErrNoTranscript = metadata.ErrNoTranscript

	// ErrSessionNotFound is returned when a checkpoint exists but does not hold the requested
	// session.
	ErrSessionNotFound = metadata.ErrSessionNotFound
)

const (
	// ShadowBranchPrefix begins the name of every shadow branch.
	ShadowBranchPrefix = shadow.BranchPrefix

	// ShadowBranchHashLength is how many hex digits of the base commit are in a shadow branch's
	// name.
	ShadowBranchHashLength = shadow.HashLength

	// WorktreeIDHashLength is how many hex digits of the hashed worktree ID are in a shadow
	// branch's name.
	WorktreeIDHashLength = shadow.WorktreeIDHashLength
)

// HashWorktreeID returns the short hash that identifies a worktree in the names of its shadow
// branches. The main worktree's ID is the empty string.
func HashWorktreeID(worktreeID string) string { return shadow.HashWorktreeID(worktreeID) }

// ShadowBranchNameForCommit returns the name, without refs/heads/, of the shadow branch for a
// base commit in a worktree: entire/<7 hex>-<6 hex>.
func ShadowBranchNameForCommit(baseCommit, worktreeID string) string {
	return shadow.BranchName(baseCommit, worktreeID)
}

// ParseShadowBranchName splits a shadow branch's name at its last dash. A name without a dash is
// the older form and has an empty worktree hash; ok is false for any other name.
func ParseShadowBranchName(branchName string) (commitPrefix, worktreeHash string, ok bool) {
	return shadow.ParseShadowBranchName(branchName)
}
