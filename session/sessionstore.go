package session

import (
	"context"
	"errors"
	"iter"
)

// SessionStore keeps conversations. [Store] keeps them on disk, [NoOpSessionStore]
// not at all.
//
// Appends and updates are queued and written in the background, in the order in
// which each caller made them. An error of the writing is returned by the next
// call, and by Close; an append or update that returns it was accepted all the
// same if the error is ErrAccepted. What was appended through a store is seen by
// every later read through it.
//
// The methods take no context, as they are documented; [Store] has variants of
// those that may wait, with a context and the suffix Context.
type SessionStore interface {
	// Create makes a session; one that exists is ErrExists.
	Create(meta SessionMetadata) error
	// Load reads a session with all its messages; ErrNotFound if there is none.
	Load(sessionID string) (*Session, error)
	// LoadLatest loads the session of a folder that was updated last;
	// ErrNotFound if it has none.
	LoadLatest(cwd string) (*Session, error)
	// Delete takes a session away; Store moves it to a trash.
	Delete(sessionID string) error
	// List returns the metadata of all sessions, the last updated first.
	List() ([]SessionMetadata, error)
	// Fork makes the session newID, which goes on from where sourceID is now.
	Fork(sourceID, newID string) (*Session, error)

	AppendMessage(sessionID string, msg Message) error
	AppendSDKMessage(sessionID string, msg SDKMessage) error
	LoadMessages(sessionID string) ([]Message, error)
	// LoadMessagesUpTo returns the messages up to and including messageUUID;
	// ErrNoMessage if the session has none of that name.
	LoadMessagesUpTo(sessionID, messageUUID string) ([]Message, error)
	// UpdateMetadata queues a change; fn runs in the background, on what is on
	// disk then, and must not call the store.
	UpdateMetadata(sessionID string, fn func(*SessionMetadata)) error

	// CreateCheckpoint keeps files as they are, before a tool changes them.
	CreateCheckpoint(sessionID, checkpointID string, files []string) error
	// RewindFiles brings files back to a checkpoint, or says what that would do.
	RewindFiles(sessionID, checkpointID string, dryRun bool) (*RewindFilesResult, error)

	// Close writes what is queued. A closed store refuses everything.
	Close() error
}

var _ SessionStore = NoOpSessionStore{}

// The errors of a SessionStore, besides ErrNotFound.
var (
	ErrExists    = errors.New("session exists")
	ErrNoMessage = errors.New("no such message")
	ErrClosed    = errors.New("session store is closed")
)

// Session is a stored session that was loaded. SessionState is the same.
type Session struct {
	Metadata SessionMetadata
	Messages []Message
	// BadLines are what stands among the stored messages and is none.
	BadLines []*BadLineError

	store  SessionStore // nil for one that is not kept
	saved  int          // how many of Messages are stored
	goesOn bool         // there are stored messages after them
}

// SessionState is Session: the documents this package was made from use both
// names.
type SessionState = Session

// A Reader streams what is stored; Store implements it, and so does what reads
// sessions from git.
type Reader interface {
	// Metadata reads a session's metadata without opening its messages.
	Metadata(ctx context.Context, sessionID string) (SessionMetadata, error)
	// Messages streams a session's messages from the first. A line that cannot
	// be read yields a *BadLineError, and the stream goes on after it; any other
	// error ends it.
	Messages(ctx context.Context, sessionID string) iter.Seq2[Message, error]
}
