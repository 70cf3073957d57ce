package agent

// Forgetter is an agent whose conversation this program keeps as lines, and whose hooks can leave out
// of what the model is told the messages that a rewind has taken back.
type Forgetter interface {
	// MessageID returns the name of the message in a line, "" for none.
	MessageID(line []byte) string
	// Removed returns what the hook at a turn's start prints, so that the agent leaves out the messages
	// with these names; nil for none.
	Removed(ids []string) []byte
}
