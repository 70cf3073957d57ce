package conversation

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"

	"entire/agent"
	"entire/agent/document"
	"entire/agent/gemini"
	"entire/agent/internal/jsontext"
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

// geminiState is the state of a Gemini transcript's messages, which may be written again
// and taken back.
type geminiState struct {
	// Messages counts all messages so far, each once.
	Messages int `json:"messages,omitempty"`
	// LatestKeys are the latest of them.
	LatestKeys messageKeys `json:"known,omitempty"`
	// PromptMessages holds for each of the prompts the number of its message.
	PromptMessages []int `json:"prompt_at,omitempty"`
}

// numberOf returns the number of a message, counted from 0, and whether it was there before.
// A message without an ID is always new.
func (g *geminiState) numberOf(messageID string) (n int, again bool) {
	key := gemini.MessageKey(messageID)
	if n, found := g.find(messageID); found {
		return n, true
	}
	g.LatestKeys = append(g.LatestKeys, key)
	if len(g.LatestKeys) > maxKnown {
		g.LatestKeys = slices.Delete(g.LatestKeys, 0, len(g.LatestKeys)-maxKnown)
	}
	g.Messages++
	return g.Messages - 1, false
}

func (g *geminiState) find(messageID string) (n int, found bool) {
	if messageID == "" {
		return 0, false
	}
	key := gemini.MessageKey(messageID)
	for i := len(g.LatestKeys) - 1; i >= 0; i-- {
		if g.LatestKeys[i] == key {
			return g.Messages - len(g.LatestKeys) + i, true
		}
	}
	return 0, false
}

// addRecord adds one line of records.
func (c *Conversation) addRecord(line []byte) {
	var r gemini.Record
	if !r.Scan(line) {
		c.Malformed++
		return
	}
	switch {
	case r.RewindTo != "":
		c.dropFrom(r.RewindTo)
	case r.Set != nil:
		for _, text := range r.Saved() {
			var m gemini.Message
			if m.Scan(text) && m.Kind != "" {
				c.addMessage(&m, true)
			}
		}
	case r.Message.Kind != "":
		c.addMessage(&r.Message, false)
	}
}

// AddDocument adds a transcript that is one JSON document; each message counts as a line.
// It reports false, and adds nothing, if doc is not a document.
func (c *Conversation) AddDocument(doc []byte) bool {
	d, ok := document.Parse(doc)
	if !ok {
		return false
	}
	for i := range d.Parts {
		c.Lines++
		var m gemini.Message
		if !m.Scan(d.Message(i)) {
			c.Malformed++
		} else {
			c.addMessage(&m, false)
		}
	}
	return true
}

// addMessage adds a message; one that is only saved again adds no effects.
func (c *Conversation) addMessage(m *gemini.Message, saved bool) {
	n, again := c.numberOf(m.ID)
	if !again || n == c.Messages-1 {
		agent.SetIf(&c.LastUUID, agent.Clip(m.ID, agent.MaxName))
		agent.SetIf(&c.LastTime, agent.Clip(m.Timestamp, agent.MaxName))
	}
	switch m.Kind {
	case "user":
		c.addPromptAt(n, m.Prompt())
	case "gemini":
		agent.SetIf(&c.Model, agent.Clip(m.Model, agent.MaxName))
		agent.SetIf(&c.LastAssistant, agent.Clip(m.Answer(), agent.MaxAnswer))
		c.addGeminiUsage(m, again)
		if _, reported := m.Usage(); reported && !saved {
			c.CallsKnownAt = c.Lines
		}
		if !saved || !again {
			m.EachCall(c.addGeminiCall)
		}
	}
}

// addPromptAt stores the prompt of message n; a prompt written again replaces the earlier
// one.
func (c *Conversation) addPromptAt(n int, prompt string) {
	if prompt == "" {
		return
	}
	prompt = agent.Clip(prompt, agent.MaxPrompt)
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

// addGeminiUsage counts the usage of a message once, as the record that reports most has it: a
// checkpoint of the conversation may leave counts out.
func (c *Conversation) addGeminiUsage(m *gemini.Message, again bool) {
	u, reported := m.Usage()
	name := agent.Clip(m.ID, agent.MaxName)
	for i := range c.Recent {
		if c.Recent[i].ID == name && again {
			if reported && u.Total() >= c.Recent[i].Usage.Total() {
				c.Recent[i].Usage = u
			}
			return
		}
	}
	if again && m.ID != "" {
		return // already in Counted
	}
	c.remember(MessageUsage{name, u})
}

func (c *Conversation) addGeminiCall(call gemini.Call) {
	c.addEdit(call.Edits())
	shell := call.Name == "run_shell_command"
	var did effects.Effects
	switch {
	case shell:
		did = effects.OfShell(call.Args.Get("command").String())
		did.Outlives = did.Outlives || call.Args.Get("is_background").Bool() && len(did.Files) > 0
	case call.AgentID != "": // the subagent's own transcript shows its work
		c.addAgentID(call.AgentID)
	case !call.Editing():
		did = effectsOfTool(call.Name, call.Args)
	}
	c.noteEffects(did)
	if call.ID == "" || len(call.ID) > agent.MaxName {
		return
	}
	c.closeCall(call.ID)
	if !call.Open() {
		if shell {
			c.LastShellEnd = c.Lines
		}
		return
	}
	open := ToolCall{ID: call.ID, Name: call.Name}
	if shell {
		open.Command, open.Commits = agent.Clip(jsontext.ValidUTF8(call.Args.Get("command").String()), maxCommand), did.Commits
	}
	c.openCall(open)
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
