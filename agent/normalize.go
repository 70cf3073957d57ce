package agent

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Normalizer turns an agent's transcript into Messages, one line at a time. It can
// be stored as JSON between two lines without making a difference, and its size
// is bounded (the max constants beside links, geminiGiven and Conversation).
//
// What it gives:
//   - one assistant's message per record of the model, with its text and its tool
//     calls. What the model thought is left to the raw stream; a record of thought
//     alone is a message without content, as it has its place in the chain and its
//     usage.
//   - one tool's message per tool result, and after them one user's message if the
//     record has text, as the agent wrote it (CleanPrompt makes it what was typed).
//   - a placeholder such as "[image]" for what is not text.
//   - nothing for records that are no message; the parents of later messages skip
//     them, so that ParentUUID names a message that was given.
//   - nothing for a record whose UUID was given before, as far as that is known;
//     of a Gemini message that is written again, what is new in it.
//
// The usage of all messages adds up to Conversation.Usage of the same lines. Where
// a later line of an answer reports less than an earlier one did, its message's
// part is negative.
type Normalizer struct {
	Agent AgentType `json:"agent"`
	// Lines counts every line, or message of a document; Malformed those that could
	// not be read, Repeated those that had been given.
	Lines     int `json:"lines"`
	Malformed int `json:"malformed,omitempty"`
	Repeated  int `json:"repeated,omitempty"`

	Links links `json:"links"`
	// Talk has the usage, the open calls and the Gemini messages so far.
	Talk Conversation `json:"talk"`
	// Owed is usage that lines without a message reported: the next one has it.
	Owed   TokenUsage    `json:"owed,omitzero"`
	Gemini []geminiGiven `json:"gemini,omitempty"`
}

// NewNormalizer returns a Normalizer at the beginning of a transcript.
func NewNormalizer(t AgentType) *Normalizer {
	return &Normalizer{Agent: t, Talk: Conversation{Agent: t}}
}

// Normalize is the messages of a whole transcript, its last line read whether or
// not it ends with a newline.
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

// AddLine appends to dst the messages of one complete line, given without its
// newline and not retained. A malformed line is counted and gives none.
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

// AddDocument gives the messages of a transcript that is one JSON document which
// are new since the last one, by their IDs: messages that a rewritten document no
// longer has are not missed, and those that it repeats are not given again.
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

// Usage is what the lines so far reported.
func (n *Normalizer) Usage() TokenUsage { return n.Talk.Usage() }

// lineName is the UUID of a message whose record has none that could be one.
func (n *Normalizer) lineName(uuid string) string { return lineName(uuid, n.Lines) }

func lineName(uuid string, line int) string {
	if uuid == "" || len(uuid) > maxName {
		return "line-" + strconv.Itoa(line)
	}
	return uuid
}

// give appends pieces of one record as messages that follow each other: the first
// has the record's UUID, each the fields of head that do not depend on the piece.
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

// pieceName is the UUID of a record's message number i, counted from 1.
func pieceName(uuid string, i int) string {
	if i == 1 {
		return uuid
	}
	return uuid + "#" + strconv.Itoa(i)
}

// RecordUUID is the UUID of the agent's record that a message is a piece of.
func RecordUUID(messageUUID string) string {
	if i := strings.LastIndexByte(messageUUID, '#'); i > 0 {
		if k, err := strconv.Atoi(messageUUID[i+1:]); err == nil && k > 1 {
			return messageUUID[:i]
		}
	}
	return messageUUID
}

// spend has add count the usage of an answer, and returns by how much that changed
// the sum, with what was owed; nil for nothing.
func (n *Normalizer) spend(answer string, add func()) *TokenUsage {
	before := n.Talk.recent(answer)
	add()
	return n.owing(n.Talk.recent(answer).change(before))
}

// owing is u with what was owed.
func (n *Normalizer) owing(u TokenUsage) *TokenUsage {
	u = u.Add(n.Owed)
	n.Owed = TokenUsage{}
	if u.IsZero() {
		return nil
	}
	return &u
}

// recent is what is counted for one of the latest answers.
func (c *Conversation) recent(answer string) TokenUsage {
	for i := len(c.Recent) - 1; i >= 0; i-- {
		if c.Recent[i].ID == answer {
			return c.Recent[i].Usage
		}
	}
	return TokenUsage{}
}

// change is what is to be added to v for u, which may be negative.
func (u TokenUsage) change(v TokenUsage) TokenUsage {
	return u.combine(v, func(a, b int) int { return a - b })
}

// moment is a transcript's timestamp, zero for what is none.
func moment(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	if t = t.UTC(); t.Year() < 1 || t.Year() > 9999 {
		return time.Time{} // JSON has no form for it
	}
	return t
}
