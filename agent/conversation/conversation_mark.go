package conversation

import (
	"slices"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/effects"
)

// Mark is a position in a conversation. The values since one mark up to the next add up to
// those of the whole conversation. A zero Mark is the beginning.
type Mark struct {
	Lines   int              `json:"lines"`
	Items   int              `json:"items,omitempty"` // messages, where a transcript is a list of them
	Prompts int              `json:"prompts"`
	Agents  int              `json:"agents,omitempty"`
	Usage   agent.TokenUsage `json:"usage"`
}

// Mark returns the position after the last line added.
func (c *Conversation) Mark() Mark {
	return Mark{
		Lines:   c.Lines,
		Items:   c.Messages,
		Prompts: c.PromptCount(),
		Agents:  len(c.AgentIDs),
		Usage:   c.Usage(),
	}
}

// PromptCount returns how many prompts the user has given.
func (c *Conversation) PromptCount() int { return c.Forgotten + len(c.Prompts) }

// MarkBeforePrompt returns m with the prompts up to the last line added, except the last prompt if
// it is the one that is being asked.
func (c *Conversation) MarkBeforePrompt(m Mark, asking string) Mark {
	now := c.Mark()
	m.Prompts, m.Items = now.Prompts, now.Items
	if n := len(c.Prompts); n > 0 && asking != "" && c.Prompts[n-1] == asking {
		m.Prompts--
		if n == len(c.PromptMessages) {
			m.Items = c.PromptMessages[n-1]
		}
	}
	return m
}

// Usage returns the usage of the conversation, without subagents. A message in several
// lines counts once, with the line that reports most.
func (c *Conversation) Usage() agent.TokenUsage {
	sum := c.Counted
	for _, m := range c.Recent {
		sum = sum.Add(m.Usage)
	}
	return sum
}

// UsageSince returns the usage after m. If m divides a message, the API call counts before
// m, and the tokens count where they were reported.
func (c *Conversation) UsageSince(m Mark) agent.TokenUsage { return c.Usage().Less(m.Usage) }

// PromptsSince returns the prompts after m that were not forgotten.
func (c *Conversation) PromptsSince(m Mark) []string {
	return agent.TypedPrompts(c.Prompts[c.promptsUpTo(m):])
}

// ItemOfPrompt returns the number, from 0, of the first message after m with exactly this
// prompt; ok is false for a transcript that does not number its prompts' messages.
func (c *Conversation) ItemOfPrompt(m Mark, prompt string) (n int, ok bool) {
	if !agents.CountsMessages(c.Agent) {
		return 0, false
	}
	from := c.promptsUpTo(m)
	if i := slices.Index(c.Prompts[from:], prompt); i >= 0 && from+i < len(c.PromptMessages) {
		return c.PromptMessages[from+i], true
	}
	return 0, false
}

// EditsSince returns the files that edit calls named after m, as the agent wrote them,
// each once, the most recently edited last. It leaves out files that shell commands
// changed and, of very many, the oldest.
func (c *Conversation) EditsSince(m Mark) []string {
	var paths []string
	for _, e := range c.Edits {
		if e.Line > m.Lines {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// ModelsSince returns the models that answered after m, the one that answered last at the end.
func (c *Conversation) ModelsSince(m Mark) []string {
	var names []string
	for _, u := range c.Models {
		if u.Line > m.Lines {
			names = append(names, u.Model)
		}
	}
	return names
}

// Forget drops the prompts before m.
func (c *Conversation) Forget(m Mark) {
	n := c.promptsUpTo(m)
	c.Prompts = slices.Clone(c.Prompts[n:])
	c.Forgotten += n
	if len(c.PromptMessages) > 0 {
		c.PromptMessages = slices.Clone(c.PromptMessages[n:])
	}
	if len(c.Prompts) == 0 {
		c.Prompts, c.PromptMessages = nil, nil
	}
}

// promptsUpTo returns how many of the prompts came before m. If prompts can be taken
// back, it compares the numbers of their messages, which never decrease.
func (c *Conversation) promptsUpTo(m Mark) int {
	if agents.CountsMessages(c.Agent) {
		n, _ := slices.BinarySearch(c.PromptMessages, m.Items)
		return n
	}
	return min(max(m.Prompts-c.Forgotten, 0), len(c.Prompts))
}

// Items returns the number with which a checkpoint's part of a transcript begins if it
// begins here: of messages where a transcript is a list of them, otherwise of lines.
func (c *Conversation) Items() int {
	if agents.CountsMessages(c.Agent) {
		return c.Messages
	}
	return c.Lines
}

// Start is what Items was at the mark.
func (m Mark) Start(t agent.AgentType) int {
	if agents.CountsMessages(t) {
		return m.Items
	}
	return m.Lines
}

// Read returns the Conversation of a whole transcript, whose last line counts even without
// a newline.
func Read(t agent.AgentType, transcript []byte) *Conversation {
	c := NewConversation(t)
	if agents.IsDocument(t, transcript) {
		c.AddDocument(transcript)
		return c
	}
	agent.EachFinalLine(transcript, c.AddLine)
	return c
}

// TouchedSince returns the patterns of files that calls after m may have written, except
// those of edit calls.
func (c *Conversation) TouchedSince(m Mark) []effects.Files {
	var out []effects.Files
	for _, t := range c.Touched {
		if t.Line > m.Lines {
			out = append(out, t.Files)
		}
	}
	return out
}

// HasHiddenWork reports whether work may happen that the transcript does not show yet, or never
// will: a call may still run after it returned, or a subagent is working.
func (c *Conversation) HasHiddenWork() bool {
	return c.OutlivedAt > 0 || slices.ContainsFunc(c.OpenCalls, func(o ToolCall) bool { return o.Starts })
}
