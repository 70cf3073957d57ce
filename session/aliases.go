package session

import (
	"time"

	"entire/session/internal/conversation"
	"entire/session/internal/files"
	"entire/session/internal/index"
	"entire/session/internal/layout"
	"entire/session/internal/log"
	"entire/session/internal/pack"
	"entire/session/internal/queue"
	"entire/session/internal/staging"
	"entire/session/internal/trash"
)

type (
	// BadLineError reports a line of a session's file that is not a record.
	BadLineError = log.BadLineError
	// A Batch is what one call appends to a session.
	Batch = queue.Batch
	// A Candidate is a session that a clean-up may move to the trash.
	Candidate = trash.Candidate
	// CheckpointManager keeps files of a session's folder as they were before tools changed them,
	// and restores them.
	CheckpointManager = files.CheckpointManager
	// CheckpointManifest lists the files of a file checkpoint and how they were: the file
	// checkpoints/{id}/manifest.json.
	CheckpointManifest = files.CheckpointManifest
	// CheckpointOptions say how files are kept.
	CheckpointOptions = files.CheckpointOptions
	// Circumstances are the settings that a session last ran under, besides its model and the
	// folder it was started in.
	Circumstances = conversation.Circumstances
	// CompressOptions select what [Store.Compress] compresses.
	CompressOptions = pack.CompressOptions
	// Compressed says what [Store.Compress] did, or would do.
	Compressed = pack.Compressed
	// DiskUse says how much of the disk a project's conversations take.
	DiskUse = index.DiskUse
	// FileSnapshot is one file of a checkpoint.
	FileSnapshot = files.FileSnapshot
	// Folder is everything that is stored of a session, as it was at one moment.
	Folder = staging.Folder
	// FolderFile is a file of a stored session, as it was at one moment.
	FolderFile = staging.FolderFile
	// Gone says what was permanently removed from the trash.
	Gone = trash.Gone
	// LogFile is an open log of a session: messages.jsonl, transcript.jsonl, or one that a fork
	// shares.
	LogFile = log.File
	// Message is one message of a conversation, one line of messages.jsonl.
	Message = conversation.Message
	// MessageEntry is Message: the documents that define this package use both names.
	MessageEntry = conversation.MessageEntry
	// Relation says how a staged session relates to the stored session of the same ID.
	Relation = log.Relation
	// RewindFilesResult says what a rewind of files did, or would do.
	RewindFilesResult = files.RewindFilesResult
	// SDKMessage is one record of an agent's own stream, one line of transcript.jsonl: any JSON
	// value.
	SDKMessage = conversation.SDKMessage
	// SessionMetadata is what is known of a stored session without opening its messages: the file
	// metadata.json.
	SessionMetadata = conversation.SessionMetadata
	// A Staging receives the files of a session from elsewhere.
	Staging = staging.Staging
	// Touched counts the changes that the agent's tools made to files in a session, by top-level
	// folder of the project and by language.
	Touched = conversation.Touched
	// Trashed is a deleted session.
	Trashed = trash.Trashed
)

const (
	// RelationNew: no session of that ID is stored
	RelationNew = log.RelationNew
	// RelationOlder: the stored session has all of it, and more
	RelationOlder = log.RelationOlder
	// RelationOther: it has something that the stored session does not have
	RelationOther = log.RelationOther
	// RelationSame: the stored session has the same content
	RelationSame = log.RelationSame
	// TitledByUser is the TitleBy of a session that the user renamed.
	TitledByUser = conversation.TitledByUser
)

var (
	// ErrAccepted is wrapped in the error of an append or update that the store accepted: the error
	// is about writing this or an earlier one.
	ErrAccepted = queue.ErrAccepted
	// ErrClosed is returned by every call after Close.
	ErrClosed = queue.ErrClosed
	// ErrExists is returned if the store has a session of that ID already.
	ErrExists = layout.ErrExists
	// ErrNoMessage is returned if a session has no message of that ID.
	ErrNoMessage = conversation.ErrNoMessage
	// ErrNotFound is returned if a session, or a side file of one, does not exist; never if it
	// could not be read.
	ErrNotFound = layout.ErrNotFound
	// ErrTag is wrapped in the errors of invalid tags.
	ErrTag = conversation.ErrTag
	// ErrUsed is returned by [Store.TrashUnused] for a session that was used after the caller looked at
	// it.
	ErrUsed = layout.ErrUsed
)

// BaseIn returns the directory of the sessions in a project's folder, which
// [entire/internal/project.Identity.Dir] names.
func BaseIn(projectFolder string) string { return layout.BaseIn(projectFolder) }

// CheckFolderFile refuses names that a file in a session's folder cannot have on every system.
func CheckFolderFile(name string) error { return staging.CheckFolderFile(name) }

// IsShared reports whether name is that of a file that never changes and that several sessions
// may share.
func IsShared(name string) bool { return staging.IsShared(name) }

// OpenLog opens the log at path without a lock.
func OpenLog(path string) (*LogFile, error) { return log.OpenLog(path) }

// RewoundTo parses a record that StreamRewind made.
func RewoundTo(line []byte) (int64, bool) { return conversation.RewoundTo(line) }

// StatLog returns how many bytes the log at path has, and when it was last appended to.
func StatLog(path string) (int64, time.Time, error) { return log.StatLog(path) }

// StreamRewind returns the record for transcript.jsonl, without a newline, which says that the
// stream continues from the end of its first n bytes.
func StreamRewind(n int64) []byte { return conversation.StreamRewind(n) }

// TitleOf returns the title of a session from one of its prompts.
func TitleOf(prompt string) string { return conversation.TitleOf(prompt) }
