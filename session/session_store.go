package session

import (
	"context"
	"iter"
)

// SessionStore keeps conversations. [Store] keeps them on disk, [NoOpSessionStore] keeps none.
//
// Appends and updates are queued and written in the background, in the order in which each
// caller made them. The next call, and Close, return an error of that writing. An append or
// update that returns an error was still accepted if the error is ErrAccepted. Every later read
// through a store sees what was appended through it.
//
// The methods take no context, as they are documented; [Store] has variants of those that may
// wait, with a context and the suffix Context.
type SessionStore interface {
	// Create makes a session; ErrExists if it exists.
	Create(meta SessionMetadata) error
	// Load reads a session with all its messages; ErrNotFound if there is none.
	Load(sessionID string) (*Session, error)
	// LoadLatest loads the last updated session of a folder; ErrNotFound if it has none.
	LoadLatest(cwd string) (*Session, error)
	// Delete removes a session; Store moves it to a trash.
	Delete(sessionID string) error
	// List returns the metadata of all sessions, the last updated first.
	List() ([]SessionMetadata, error)
	// Fork makes the session newID, which continues from the present end of sourceID.
	Fork(sourceID, newID string) (*Session, error)

	AppendMessage(sessionID string, msg Message) error
	AppendSDKMessage(sessionID string, msg SDKMessage) error
	LoadMessages(sessionID string) ([]Message, error)
	// LoadMessagesUpTo returns the messages up to and including messageUUID; ErrNoMessage if
	// the session has no such message.
	LoadMessagesUpTo(sessionID, messageUUID string) ([]Message, error)
	// UpdateMetadata queues a change. fn runs in the background on the metadata on disk, and
	// must not call the store.
	UpdateMetadata(sessionID string, fn func(*SessionMetadata)) error

	// CreateCheckpoint keeps files as they are, before a tool changes them.
	CreateCheckpoint(sessionID, checkpointID string, files []string) error
	// RewindFiles restores files to a checkpoint, or says what that would do.
	RewindFiles(sessionID, checkpointID string, dryRun bool) (*RewindFilesResult, error)

	// Close writes what is queued. A closed store refuses every call.
	Close() error
}

var _ SessionStore = NoOpSessionStore{}

// Session is a stored session that was loaded. SessionState is the same.
type Session struct {
	Metadata SessionMetadata
	Messages []Message
	// BadLines are the lines among the stored messages that are not messages.
	BadLines []*BadLineError

	store            SessionStore // nil for a session that is not kept
	saved            int          // how many of Messages are stored
	hasLaterMessages bool         // the store has messages after these
}

// SessionState is Session: the documents that define this package use both names.
type SessionState = Session

// A Reader streams stored sessions. Store implements it, and so does the code that reads
// sessions from git.
type Reader interface {
	// Metadata reads a session's metadata without opening its messages.
	Metadata(ctx context.Context, sessionID string) (SessionMetadata, error)
	// Messages streams a session's messages from the first. A line that cannot be read yields a
	// *BadLineError, and the stream continues after it; any other error ends it.
	Messages(ctx context.Context, sessionID string) iter.Seq2[Message, error]
}
