package agent

import "time"

// Historian is an agent whose program keeps the conversations of all projects of a user on the machine.
type Historian interface {
	// Histories returns the places where it keeps them, whether they exist or not, given the user's home
	// directory and a function for the variables of the environment.
	Histories(home string, env func(name string) string) []HistoryPlace
	// HistoryFacts returns what a line, or the beginning of a document, says about its conversation.
	HistoryFacts(line []byte) HistoryFacts
}

// A HistoryPlace is a folder in which an agent's program keeps conversations, or one database of them.
type HistoryPlace struct {
	Root string
	// Depth is how many folders below Root the files are; 0 for those in Root.
	Depth int
	// File says what a file is, given its slash-separated path below Root.
	File func(rel string) HistoryFile
	// Folder returns the working folder of a file's conversation where the lines do not tell it, "" if it
	// cannot. read returns the content of a file, nil if there is none. A nil Folder knows none.
	Folder func(rel string, read func(path string) []byte) string
	// Settings are the files that say how long the program keeps a conversation, the one that wins first.
	// Keeps reads the first of them that exists, nil for none, and returns after how much time without a
	// change the program deletes a conversation; 0 for never. A nil Keeps means never.
	Settings []string
	Keeps    func(settings []byte) time.Duration
	// Database is set if Root is a file, an SQLite database.
	Database *HistoryDatabase
	// Unread says why this program cannot read what is there; "" if it can.
	Unread string
}

// KindOfHistory is what a file is to a conversation.
type KindOfHistory string

const (
	// HistoryTranscript is a conversation, or all that can be read of it.
	HistoryTranscript KindOfHistory = "transcript"
	// HistoryPart belongs to a conversation: what a subagent said, the output of a tool.
	HistoryPart KindOfHistory = "part"
	// HistoryNote is about a conversation, and tells what the transcript does not.
	HistoryNote KindOfHistory = "note"
)

// A HistoryFile is what a file in a HistoryPlace is; zero for one that is none of an agent's conversations.
type HistoryFile struct {
	Kind    KindOfHistory
	Session string // the session's ID; "" if only the transcript tells it
}

// HistoryFacts is what a line says about its conversation.
type HistoryFacts struct {
	Session string // its ID
	Parent  string // the session that it continues or works for
	// ParentBytes is how much of the parent's transcript is the beginning of this conversation, whose own transcript
	// does not have it; 0 if it has.
	ParentBytes int64
	Subagent    bool   // an agent prompted it, not a person
	Folder      string // the working folder
	Remote      string // the URL of the repository's remote
	Root        string // the object ID of the repository's first commit
	Time        time.Time
}

// Add sets what is not known yet.
func (f *HistoryFacts) Add(more HistoryFacts) {
	SetIf(&f.Session, more.Session)
	for to, s := range map[*string]string{&f.Parent: more.Parent, &f.Folder: more.Folder, &f.Remote: more.Remote, &f.Root: more.Root} {
		if *to == "" {
			*to = s
		}
	}
	if f.ParentBytes == 0 {
		f.ParentBytes = more.ParentBytes
	}
	f.Subagent = f.Subagent || more.Subagent
	if f.Time.IsZero() {
		f.Time = more.Time
	}
}

// A HistoryDatabase says how to read the conversations in an SQLite database. Times are in milliseconds
// since 1970.
type HistoryDatabase struct {
	// Sessions selects id, parent ("" for none), folder, first commit ("" if unknown), version, and the
	// times of the beginning and of the last change.
	Sessions string
	// Messages selects the messages of the session $1, and of those that work for it, in order: id, session,
	// JSON. Parts selects the parts of the message $1, in order: id, JSON.
	Messages, Parts string
	// Lines returns the conversation as the adapter's RecordReader reads it.
	Lines func(session, version string, messages []HistoryMessage) []byte
}

// A HistoryMessage is a message in a HistoryDatabase.
type HistoryMessage struct {
	ID, Session string
	JSON        []byte
	Parts       []HistoryMessagePart
}

// A HistoryMessagePart is a part of a HistoryMessage.
type HistoryMessagePart struct {
	ID   string
	JSON []byte
}
