package conversation

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/document"
)

// Normalizer turns an agent's transcript into Messages, one line at a time. It can be
// stored as JSON between any two lines without a difference. Its size is bounded (by the
// max constants of links, given and Conversation).
//
// It returns:
//   - one assistant message for each record of the model, with its text and its tool
//     calls. It leaves out what the model thought; a record with only a thought becomes a
//     message without content, because it has a place in the chain and usage.
//   - one tool message for each tool result, followed by one user message if the record
//     has text, as the agent wrote it (CleanPrompt extracts what a person typed).
//   - a placeholder such as "[image]" for content that is not text.
//   - nothing for records that are not messages; the parents of later messages skip them,
//     so that ParentUUID always names a returned message.
//   - nothing for a record whose UUID it returned before, as far as it remembers; for a
//     message of a list that is written again, only the new parts.
//
// The usage of all messages adds up to Conversation.Usage of the same lines. If a later
// line of an answer reports less than an earlier one, the usage of its message is
// negative.
type Normalizer struct {
	Agent agent.AgentType `json:"agent"`
	// Lines counts every line, or every message of a document; Malformed counts those that
	// could not be read, Repeated those that were returned before.
	Lines     int `json:"lines"`
	Malformed int `json:"malformed,omitempty"`
	Repeated  int `json:"repeated,omitempty"`

	Links links `json:"links"`
	// Conversation holds the usage, the open calls and the numbered messages so far.
	Conversation Conversation `json:"talk"`
	// Owed is the usage that lines without a message reported; the next message gets it.
	Owed  agent.TokenUsage `json:"owed,omitzero"`
	Given []given          `json:"gemini,omitempty"` // of a transcript that is a list of messages
}

// NewNormalizer returns a Normalizer for a new transcript.
func NewNormalizer(t agent.AgentType) *Normalizer {
	return &Normalizer{Agent: t, Conversation: Conversation{Agent: t}}
}

// Normalize returns the messages of a whole transcript, whose last line counts even
// without a newline.
func Normalize(t agent.AgentType, transcript []byte) []agent.Message {
	n := NewNormalizer(t)
	if agents.IsDocument(t, transcript) {
		out, err := n.AddDocument(transcript)
		if err != nil {
			return nil
		}
		return out
	}
	var out []agent.Message
	agent.EachFinalLine(transcript, func(line []byte) { out = n.AddLine(out, line) })
	return out
}

// AddLine appends to dst the messages of one complete line, given without its newline and
// not retained. It counts a malformed line and appends nothing for it.
func (n *Normalizer) AddLine(dst []agent.Message, line []byte) []agent.Message {
	return n.Add(dst, ReadLine(n.Agent, line))
}

// Add appends to dst the messages of a line that was read.
func (n *Normalizer) Add(dst []agent.Message, l Line) []agent.Message {
	n.Lines++
	if !l.OK {
		n.Malformed++
	}
	messages := agents.CountsMessages(n.Agent)
	for i := range l.Records {
		r := &l.Records[i]
		switch {
		case !messages:
			dst = n.addRecord(dst, r)
		case r.BackTo != "":
			n.stepBack(r.BackTo)
		case l.Saved:
			dst = n.AddMessage(dst, r, l.Names[i])
		case r.Role != "":
			dst = n.AddMessage(dst, r, n.lineName(r.ID))
		}
	}
	return dst
}

// AddDocument returns the messages of a transcript that is one JSON document which are
// new, by their IDs, since the last call. It ignores messages that the rewritten document
// no longer has. It returns ErrNoDocument for anything else.
func (n *Normalizer) AddDocument(doc []byte) ([]agent.Message, error) {
	var out []agent.Message
	if !EachMessage(n.Agent, doc, func(_ int, r *agent.Record, name string) {
		n.Lines++
		switch {
		case r == nil:
			n.Malformed++
		case r.Role != "":
			out = n.AddMessage(out, r, name)
		}
	}) {
		return nil, fmt.Errorf("read transcript of %d bytes: %w", len(doc), document.ErrNone)
	}
	return out, nil
}

// SetTotal sets what the session has used so far, for an agent whose transcript has no tokens. The next
// message gets what was added.
func (n *Normalizer) SetTotal(u agent.TokenUsage) {
	if added := n.addedUsage(sessionTotal, func() { n.Conversation.SetTotal(u) }); added != nil {
		n.Owed = *added
	}
}

// Usage returns the usage that the lines so far reported.
func (n *Normalizer) Usage() agent.TokenUsage { return n.Conversation.Usage() }

// lineName returns the UUID of a message: uuid, or one made of the line's number if the
// record has no usable one.
func (n *Normalizer) lineName(uuid string) string { return LineName(uuid, n.Lines) }

func LineName(uuid string, line int) string {
	if uuid == "" || len(uuid) > agent.MaxName {
		return "line-" + strconv.Itoa(line)
	}
	return uuid
}

// appendParts appends the parts of one record as consecutive messages. The first gets the
// record's UUID.
func (n *Normalizer) appendParts(dst []agent.Message, uuid, parent, chain string, pieces []agent.Message) []agent.Message {
	for i := range pieces {
		m := &pieces[i]
		m.UUID, m.ParentUUID = pieceName(uuid, i+1), parent
		parent = m.UUID
	}
	n.Links.given(uuid)
	if len(pieces) > 1 {
		n.Links.bridge(uuid, parent)
	}
	n.Links.setTip(chain, parent)
	return append(dst, pieces...)
}

// pieceName returns the UUID of a record's i-th message, counted from 1.
func pieceName(uuid string, i int) string {
	if i == 1 {
		return uuid
	}
	return uuid + "#" + strconv.Itoa(i)
}

// RecordUUID returns the UUID of the agent's record that a message is a part of.
func RecordUUID(messageUUID string) string {
	if i := strings.LastIndexByte(messageUUID, '#'); i > 0 {
		if k, err := strconv.Atoi(messageUUID[i+1:]); err == nil && k > 1 {
			return messageUUID[:i]
		}
	}
	return messageUUID
}

// addedUsage calls add, which counts the usage of an answer, and returns how much that changed
// the total, plus Owed; nil for nothing.
func (n *Normalizer) addedUsage(answer string, add func()) *agent.TokenUsage {
	before := n.Conversation.recent(answer)
	add()
	return n.withOwed(n.Conversation.recent(answer).Change(before))
}

// withOwed returns u plus Owed.
func (n *Normalizer) withOwed(u agent.TokenUsage) *agent.TokenUsage {
	u = u.Add(n.Owed)
	n.Owed = agent.TokenUsage{}
	if u.IsZero() {
		return nil
	}
	return &u
}

// recent returns the usage counted for one of the latest answers.
func (c *Conversation) recent(answer string) agent.TokenUsage {
	for i := len(c.Recent) - 1; i >= 0; i-- {
		if c.Recent[i].ID == answer {
			return c.Recent[i].Usage
		}
	}
	return agent.TokenUsage{}
}

// ParseTimestamp parses a transcript's timestamp; it returns the zero time for an invalid one.
func ParseTimestamp(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	if t = t.UTC(); t.Year() < 1 || t.Year() > 9999 {
		return time.Time{} // JSON cannot represent it
	}
	return t
}
