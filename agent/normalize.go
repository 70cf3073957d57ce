package agent

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Normalizer turns an agent's transcript into Messages, one line at a time. It can be
// stored as JSON between any two lines without a difference. Its size is bounded (by the
// max constants of links, geminiGiven and Conversation).
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
//     Gemini message that is written again, only the new parts.
//
// The usage of all messages adds up to Conversation.Usage of the same lines. If a later
// line of an answer reports less than an earlier one, the usage of its message is
// negative.
type Normalizer struct {
	Agent AgentType `json:"agent"`
	// Lines counts every line, or every message of a document; Malformed counts those that
	// could not be read, Repeated those that were returned before.
	Lines     int `json:"lines"`
	Malformed int `json:"malformed,omitempty"`
	Repeated  int `json:"repeated,omitempty"`

	Links links `json:"links"`
	// Talk holds the usage, the open calls and the Gemini messages so far.
	Talk Conversation `json:"talk"`
	// Owed is the usage that lines without a message reported; the next message gets it.
	Owed   TokenUsage    `json:"owed,omitzero"`
	Gemini []geminiGiven `json:"gemini,omitempty"`
}

// NewNormalizer returns a Normalizer for a new transcript.
func NewNormalizer(t AgentType) *Normalizer {
	return &Normalizer{Agent: t, Talk: Conversation{Agent: t}}
}

// Normalize returns the messages of a whole transcript, whose last line counts even
// without a newline.
func Normalize(t AgentType, transcript []byte) []Message {
	n := NewNormalizer(t)
	if t == AgentTypeGemini && IsDocument(transcript) {
		out, err := n.AddDocument(transcript)
		if err != nil {
			return nil
		}
		return out
	}
	var out []Message
	wholeFile(transcript, func(line []byte) { out = n.AddLine(out, line) })
	return out
}

// AddLine appends to dst the messages of one complete line, given without its newline and
// not retained. It counts a malformed line and appends nothing for it.
func (n *Normalizer) AddLine(dst []Message, line []byte) []Message {
	n.Lines++
	if blank(line) {
		return dst
	}
	if n.Agent == AgentTypeGemini {
		return n.addRecord(dst, line)
	}
	var g genericLine
	if n.Agent != AgentTypeClaudeCode && g.scan(line) {
		return n.addGeneric(dst, &g)
	}
	var l claudeLine
	if !l.scan(line) {
		n.Malformed++
		n.Links.bridge(l.uuid, n.Links.resolve(l.parent, l.logical, l.chain()))
		return dst
	}
	return n.addClaude(dst, &l)
}

// AddDocument returns the messages of a transcript that is one JSON document which are
// new, by their IDs, since the last call. It ignores messages that the rewritten document
// no longer has. It returns ErrNoDocument for anything else.
func (n *Normalizer) AddDocument(doc []byte) ([]Message, error) {
	d, ok := parseDocument(doc)
	if !ok {
		return nil, fmt.Errorf("read transcript of %d bytes: %w", len(doc), ErrNoDocument)
	}
	var out []Message
	seen := map[string]int{}
	for i := range d.parts {
		n.Lines++
		var m geminiMessage
		switch {
		case !m.scan(d.message(i)):
			n.Malformed++
		case m.kind != "":
			m.name(seen)
			out = n.addGemini(out, &m, false)
		}
	}
	return out, nil
}

// Usage returns the usage that the lines so far reported.
func (n *Normalizer) Usage() TokenUsage { return n.Talk.Usage() }

// lineName returns the UUID of a message: uuid, or one made of the line's number if the
// record has no usable one.
func (n *Normalizer) lineName(uuid string) string { return lineName(uuid, n.Lines) }

func lineName(uuid string, line int) string {
	if uuid == "" || len(uuid) > maxName {
		return "line-" + strconv.Itoa(line)
	}
	return uuid
}

// give appends the parts of one record as consecutive messages. The first gets the
// record's UUID.
func (n *Normalizer) give(dst []Message, uuid, parent, chain string, pieces []Message) []Message {
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

// spend calls add, which counts the usage of an answer, and returns how much that changed
// the total, plus Owed; nil for nothing.
func (n *Normalizer) spend(answer string, add func()) *TokenUsage {
	before := n.Talk.recent(answer)
	add()
	return n.owing(n.Talk.recent(answer).change(before))
}

// owing returns u plus Owed.
func (n *Normalizer) owing(u TokenUsage) *TokenUsage {
	u = u.Add(n.Owed)
	n.Owed = TokenUsage{}
	if u.IsZero() {
		return nil
	}
	return &u
}

// recent returns the usage counted for one of the latest answers.
func (c *Conversation) recent(answer string) TokenUsage {
	for i := len(c.Recent) - 1; i >= 0; i-- {
		if c.Recent[i].ID == answer {
			return c.Recent[i].Usage
		}
	}
	return TokenUsage{}
}

// change returns what must be added to v to get u, which may be negative.
func (u TokenUsage) change(v TokenUsage) TokenUsage {
	return u.combine(v, func(a, b int) int { return a - b })
}

// moment parses a transcript's timestamp; it returns the zero time for an invalid one.
func moment(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	if t = t.UTC(); t.Year() < 1 || t.Year() > 9999 {
		return time.Time{} // JSON cannot represent it
	}
	return t
}
