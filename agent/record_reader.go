package agent

// RecordReader is an agent whose transcript consists of lines that can be read one by one. Where it is a
// list of messages (Profile.Messages), each message of a document is read like a line.
type RecordReader interface {
	// Records returns what one line says, in order; none for a line that says nothing. It
	// returns false for a line that it cannot read; a record then only tells where the line belongs. The
	// result shares no memory with line.
	Records(line []byte) ([]Record, bool)
}

// Outliner is a RecordReader that can leave out what most of its time goes into.
type Outliner interface {
	// Outline is Records as far as it tells when and in whose name something was said, after which record, and
	// the kinds of parts with the IDs of calls. It may leave out the rest.
	Outline(line []byte) ([]Record, bool)
}

// CallDescriber is a RecordReader that knows what describes a call of its agent best.
type CallDescriber interface {
	// Describing returns members of a tool's input that are texts, the best one first.
	Describing(tool string) []string
}

// SessionTeller is a RecordReader whose transcripts tell the session's ID in one line, and name it in many.
type SessionTeller interface {
	// SessionIn returns the ID if the line tells it, "" otherwise.
	SessionIn(line []byte) string
}

// Linker is a RecordReader whose transcripts can be repaired: a line can get another parent, and a call
// without a result one.
type Linker interface {
	// SetParent returns the line with another parent, "" for none; all other bytes stay. A line that names
	// no parent stays as it is.
	SetParent(line []byte, parent string) []byte
	// Failure returns a line with a result, an error, for a call in the line call.
	Failure(call []byte, r Failure) []byte
}

// Failure is the result of a call that was never written.
type Failure struct {
	CallID, Text string
	ID, Parent   string // of the record
}

// MessageReader is a RecordReader of messages. Each message is one JSON object on a line or in a document,
// and the agent may write it again.
type MessageReader interface {
	// Saved returns the document in a line that saves the whole conversation again, a part of the line; nil
	// for any other line.
	Saved(line []byte) []byte
	// Distinct returns what tells a message without an ID from others.
	Distinct(message []byte) string
	// EndCalls returns a message with the text as the result, an error, of those calls without a result that
	// ends chooses. It gets a call's number in the message, from 1, and its ID as written, and returns the
	// ID to be written.
	EndCalls(message []byte, text string, ends func(n int, id string) (callID string, ok bool)) []byte
}
