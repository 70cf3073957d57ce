package conversation

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"

	"entire/agent"
)

// maxKnown bounds how many of the latest messages are recognised when they are written
// again.
const maxKnown = 8192

// messageKeys are digests of message IDs in the order of their first appearance. They are
// encoded as one word, because every hook of a long session reads and writes them.
type messageKeys []uint64

// MarshalText implements encoding.TextMarshaler.
func (k messageKeys) MarshalText() ([]byte, error) {
	raw := make([]byte, 0, 8*len(k))
	for _, key := range k {
		raw = binary.LittleEndian.AppendUint64(raw, key)
	}
	return base64.RawStdEncoding.AppendEncode(nil, raw), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *messageKeys) UnmarshalText(text []byte) error {
	raw, err := base64.RawStdEncoding.AppendDecode(nil, text)
	if err != nil || len(raw)%8 != 0 {
		return fmt.Errorf("message keys of %d bytes: %w", len(raw), err)
	}
	*k = nil
	for ; len(raw) > 0; raw = raw[8:] {
		*k = append(*k, binary.LittleEndian.Uint64(raw))
	}
	return nil
}

// has looks among the latest first.
func (k messageKeys) has(key uint64) bool {
	for i := len(k) - 1; i >= 0; i-- {
		if k[i] == key {
			return true
		}
	}
	return false
}

// messageState is the state of a transcript whose messages may be written again and taken
// back.
type messageState struct {
	// Messages counts all messages so far, each once.
	Messages int `json:"messages,omitempty"`
	// LatestKeys are the latest of them.
	LatestKeys messageKeys `json:"known,omitempty"`
	// PromptMessages holds for each of the prompts the number of its message.
	PromptMessages []int `json:"prompt_at,omitempty"`
}

// numberOf returns the number of a message, counted from 0, and whether it was there before.
// A message without an ID is always new.
func (g *messageState) numberOf(messageID string) (n int, again bool) {
	if n, found := g.find(messageID); found {
		return n, true
	}
	g.LatestKeys = append(g.LatestKeys, keyOf(messageID))
	if len(g.LatestKeys) > maxKnown {
		g.LatestKeys = slices.Delete(g.LatestKeys, 0, len(g.LatestKeys)-maxKnown)
	}
	g.Messages++
	return g.Messages - 1, false
}

func (g *messageState) find(messageID string) (n int, found bool) {
	if messageID == "" {
		return 0, false
	}
	key := keyOf(messageID)
	for i := len(g.LatestKeys) - 1; i >= 0; i-- {
		if g.LatestKeys[i] == key {
			return g.Messages - len(g.LatestKeys) + i, true
		}
	}
	return 0, false
}

// AddDocument adds a transcript that is one JSON document; each message counts as a line.
// It reports false, and adds nothing, if doc is not a document.
func (c *Conversation) AddDocument(doc []byte) bool {
	return EachMessage(c.Agent, doc, func(_ int, r *agent.Record, _ string) {
		c.Lines++
		if r == nil {
			c.Malformed++
		} else {
			c.addNumbered(r, false)
		}
	})
}

// addMessage adds a record of a line; one that is only saved again adds no effects.
func (c *Conversation) addMessage(r *agent.Record, saved bool) {
	switch {
	case r.BackTo != "":
		c.dropFrom(r.BackTo)
	case r.Role != "":
		c.addNumbered(r, saved)
	}
}

func (c *Conversation) addNumbered(r *agent.Record, saved bool) {
	n, again := c.numberOf(r.ID)
	c.addRecord(r, standing{numbered: true, n: n, again: again, saved: saved})
}

// standing is what a transcript of messages tells of one of them: its number, whether it was there before,
// and whether it is only saved again.
type standing struct {
	numbered     bool
	n            int
	again, saved bool
}

// addPromptAt stores the prompt of message n; a prompt written again replaces the earlier
// one.
func (c *Conversation) addPromptAt(n int, prompt string) {
	i, there := slices.BinarySearch(c.PromptMessages, n)
	if there {
		c.Prompts[i] = prompt
		return
	}
	if i == 0 && c.Forgotten > 0 && n < c.Messages-1 {
		return // a forgotten prompt, written again
	}
	c.Prompts, c.PromptMessages = slices.Insert(c.Prompts, i, prompt), slices.Insert(c.PromptMessages, i, n)
	c.OpenCalls = nil
}

// addMessageUsage counts the usage of a message once, as the record that reports most has it: a
// checkpoint of the conversation may leave counts out.
func (c *Conversation) addMessageUsage(r *agent.Record, again bool) {
	var u agent.TokenUsage
	if r.Usage != nil {
		u = *r.Usage
	}
	name := agent.Clip(r.ID, agent.MaxName)
	for i := range c.Recent {
		if c.Recent[i].ID == name && again {
			if r.Usage != nil && u.Total() >= c.Recent[i].Usage.Total() {
				c.Recent[i].Usage = u
			}
			return
		}
	}
	if again && r.ID != "" {
		return // already in Counted
	}
	c.remember(MessageUsage{name, u})
}

// dropFrom removes a message and all later ones from the conversation. Their usage stays
// counted.
func (c *Conversation) dropFrom(messageID string) {
	n, found := c.find(messageID)
	if !found {
		return
	}
	i, _ := slices.BinarySearch(c.PromptMessages, n)
	c.Prompts, c.PromptMessages = slices.Clone(c.Prompts[:i]), slices.Clone(c.PromptMessages[:i])
	if i == 0 {
		c.Prompts, c.PromptMessages = nil, nil
	}
	c.OpenCalls, c.LastAssistant = nil, ""
}

// Shares reports whether both conversations begin with the same n messages and neither has
// forgotten one of them. All messages without an ID are equal; a nil conversation shares
// nothing.
func (c *Conversation) Shares(other *Conversation, n int) bool {
	if c == nil || other == nil || c.Messages != len(c.LatestKeys) || other.Messages != len(other.LatestKeys) {
		return false
	}
	return n <= min(c.Messages, other.Messages) && slices.Equal(c.LatestKeys[:n], other.LatestKeys[:n])
}
