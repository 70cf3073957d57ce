package agent

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"entire/internal/effects"
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

// geminiTalk is the state of a Gemini transcript's messages, which may be written again
// and taken back.
type geminiTalk struct {
	// Messages counts all messages so far, each once.
	Messages int `json:"messages,omitempty"`
	// Known are the latest of them.
	Known messageKeys `json:"known,omitempty"`
	// PromptAt holds for each of the prompts the number of its message.
	PromptAt []int `json:"prompt_at,omitempty"`
}

func messageKey(messageID string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(messageID))
	return h.Sum64()
}

// place returns the number of a message, counted from 0, and whether it was there before.
// A message without an ID is always new.
func (g *geminiTalk) place(messageID string) (n int, again bool) {
	key := messageKey(messageID)
	if n, found := g.find(messageID); found {
		return n, true
	}
	g.Known = append(g.Known, key)
	if len(g.Known) > maxKnown {
		g.Known = slices.Delete(g.Known, 0, len(g.Known)-maxKnown)
	}
	g.Messages++
	return g.Messages - 1, false
}

func (g *geminiTalk) find(messageID string) (n int, found bool) {
	if messageID == "" {
		return 0, false
	}
	key := messageKey(messageID)
	for i := len(g.Known) - 1; i >= 0; i-- {
		if g.Known[i] == key {
			return g.Messages - len(g.Known) + i, true
		}
	}
	return 0, false
}

// addRecord adds one line of records.
func (c *Conversation) addRecord(line []byte) {
	var r geminiRecord
	if !r.scan(line) {
		c.Malformed++
		return
	}
	switch {
	case r.rewindTo != "":
		c.takeBack(r.rewindTo)
	case r.set != nil:
		for _, text := range r.saved() {
			var m geminiMessage
			if m.scan(text) && m.kind != "" {
				c.addMessage(&m, true)
			}
		}
	case r.message.kind != "":
		c.addMessage(&r.message, false)
	}
}

// AddDocument adds a transcript that is one JSON document; each message counts as a line.
// It reports false, and adds nothing, if doc is not a document.
func (c *Conversation) AddDocument(doc []byte) bool {
	d, ok := parseDocument(doc)
	if !ok {
		return false
	}
	for i := range d.parts {
		c.Lines++
		var m geminiMessage
		if !m.scan(d.message(i)) {
			c.Malformed++
		} else {
			c.addMessage(&m, false)
		}
	}
	return true
}

// addMessage adds a message; one that is only saved again adds no effects.
func (c *Conversation) addMessage(m *geminiMessage, saved bool) {
	n, again := c.place(m.id)
	if !again || n == c.Messages-1 {
		setIf(&c.LastUUID, clip(m.id, maxName))
		setIf(&c.LastTime, clip(m.timestamp, maxName))
	}
	switch m.kind {
	case "user":
		c.addPromptAt(n, m.prompt())
	case "gemini":
		setIf(&c.Model, clip(m.model, maxName))
		setIf(&c.LastAssistant, clip(m.answer(), maxAnswer))
		c.addGeminiUsage(m, again)
		if _, reported := m.usage(); reported && !saved {
			c.Told = c.Lines
		}
		if !saved || !again {
			m.eachCall(c.addGeminiCall)
		}
	}
}

// addPromptAt stores the prompt of message n; a prompt written again replaces the earlier
// one.
func (c *Conversation) addPromptAt(n int, prompt string) {
	if prompt == "" {
		return
	}
	prompt = clip(prompt, maxPrompt)
	i, there := slices.BinarySearch(c.PromptAt, n)
	if there {
		c.Prompts[i] = prompt
		return
	}
	if i == 0 && c.Forgotten > 0 && n < c.Messages-1 {
		return // a forgotten prompt, written again
	}
	c.Prompts, c.PromptAt = slices.Insert(c.Prompts, i, prompt), slices.Insert(c.PromptAt, i, n)
	c.OpenCalls = nil
}

// addGeminiUsage counts the usage of a message once, as last written.
func (c *Conversation) addGeminiUsage(m *geminiMessage, again bool) {
	u, reported := m.usage()
	name := clip(m.id, maxName)
	for i := range c.Recent {
		if c.Recent[i].ID == name && again {
			if reported {
				c.Recent[i].Usage = u
			}
			return
		}
	}
	if again && m.id != "" {
		return // already in Counted
	}
	c.remember(MessageUsage{name, u})
}

func (c *Conversation) addGeminiCall(call geminiCall) {
	c.addEdit(call.edits())
	shell := call.name == "run_shell_command"
	var did effects.Effects
	switch {
	case shell:
		did = effects.OfShell(call.args.Get("command").String())
		did.Outlives = did.Outlives || call.args.Get("is_background").Bool() && len(did.Files) > 0
	case !call.editing():
		did = effectsOfTool(call.name, call.args)
	}
	c.did(did)
	if call.id == "" || len(call.id) > maxName {
		return
	}
	c.closeCall(call.id)
	if !call.open() {
		if shell {
			c.Over = c.Lines
		}
		return
	}
	open := ToolCall{ID: call.id, Name: call.name}
	if shell {
		open.Command, open.Commits = clip(valid(call.args.Get("command").String()), maxCommand), did.Commits
	}
	c.openCall(open)
}

// takeBack removes a message and all later ones from the conversation. Their usage stays
// counted.
func (c *Conversation) takeBack(messageID string) {
	n, found := c.find(messageID)
	if !found {
		return
	}
	i, _ := slices.BinarySearch(c.PromptAt, n)
	c.Prompts, c.PromptAt = slices.Clone(c.Prompts[:i]), slices.Clone(c.PromptAt[:i])
	if i == 0 {
		c.Prompts, c.PromptAt = nil, nil
	}
	c.OpenCalls, c.LastAssistant = nil, ""
}

// Shares reports whether both conversations begin with the same n messages and neither has
// forgotten one of them. All messages without an ID are equal; a nil conversation shares
// nothing.
func (c *Conversation) Shares(other *Conversation, n int) bool {
	if c == nil || other == nil || c.Messages != len(c.Known) || other.Messages != len(other.Known) {
		return false
	}
	return n <= min(c.Messages, other.Messages) && slices.Equal(c.Known[:n], other.Known[:n])
}
