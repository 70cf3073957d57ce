package agent

import "entire/id"

// DocumentKeeper is an agent whose program keeps a conversation as documents that it writes anew with
// every message, and names in no event. This program keeps the lines of them.
type DocumentKeeper interface {
	// Documents returns the pattern of the session's documents below the user's home directory.
	Documents(home string, session id.SessionID) string
	// Lines returns the lines of the documents, by path, as the adapter's RecordReader reads them, and
	// the last prompt.
	Lines(session id.SessionID, documents map[string][]byte) (lines []byte, last LastPrompt)
	// Restored is the reverse of Lines: it returns the files with which the program continues the
	// session in the folder dir, the session's own document first; none if the lines have no message.
	Restored(home, dir string, session id.SessionID, lines []byte) []Document
}

// Document is a file that an agent's program reads when it continues a session.
type Document struct {
	Path  string
	Text  []byte
	Stays bool // a file that is there is not replaced
}

// LastPrompt is the last prompt of a conversation; zero for a conversation without one.
type LastPrompt struct {
	ID, Text string
	Answered bool // the model has said or called something since
}
