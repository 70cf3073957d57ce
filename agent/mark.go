package agent

import (
	"slices"

	"entire/internal/effects"
)

// Mark is a place in a conversation. What came after it can be asked for; the
// slices between marks add up to the whole. A zero Mark is the beginning.
type Mark struct {
	Lines   int        `json:"lines"`
	Items   int        `json:"items,omitempty"` // messages, of a Gemini transcript
	Prompts int        `json:"prompts"`
	Agents  int        `json:"agents,omitempty"`
	Usage   TokenUsage `json:"usage"`
}

// Mark returns the place after the last line added.
func (c *Conversation) Mark() Mark {
	return Mark{
		Lines:   c.Lines,
		Items:   c.Messages,
		Prompts: c.Forgotten + len(c.Prompts),
		Agents:  len(c.AgentIDs),
		Usage:   c.Usage(),
	}
}

// AskedAt is a mark whose prompts are those up to the last line added, but for the last
// one if it is what is being asked.
func (c *Conversation) AskedAt(m Mark, asking string) Mark {
	now := c.Mark()
	m.Prompts, m.Items = now.Prompts, now.Items
	if n := len(c.Prompts); n > 0 && asking != "" && c.Prompts[n-1] == asking {
		m.Prompts--
		if n == len(c.PromptAt) {
			m.Items = c.PromptAt[n-1]
		}
	}
	return m
}

// Usage is what the conversation has used, subagents not included. A message
// written over several lines counts once, with the line that reports most.
func (c *Conversation) Usage() TokenUsage {
	sum := c.Counted
	for _, m := range c.Recent {
		sum = sum.Add(m.Usage)
	}
	return sum
}

// UsageSince is what was used after m. Of a message that m cuts in two, the call
// counts before it, and the tokens when they were reported.
func (c *Conversation) UsageSince(m Mark) TokenUsage { return c.Usage().less(m.Usage) }

// PromptsSince are the prompts after m that were not forgotten.
func (c *Conversation) PromptsSince(m Mark) []string {
	return Typed(c.Prompts[c.promptsUpTo(m):])
}

// ItemOfPrompt is the message, from 0, that is the first after m to prompt just this,
// of a transcript that says which message each prompt is.
func (c *Conversation) ItemOfPrompt(m Mark, prompt string) (n int, ok bool) {
	if c.Agent != AgentTypeGemini {
		return 0, false
	}
	from := c.promptsUpTo(m)
	if i := slices.Index(c.Prompts[from:], prompt); i >= 0 && from+i < len(c.PromptAt) {
		return c.PromptAt[from+i], true
	}
	return 0, false
}

// AgentIDsSince are the subagents first seen after m.
func (c *Conversation) AgentIDsSince(m Mark) []string {
	return slices.Clone(c.AgentIDs[min(max(m.Agents, 0), len(c.AgentIDs)):])
}

// EditsSince are the files that editing tools named after m, as the agent wrote
// them, each once, the most recently edited last. Files changed by shell
// commands are not among them, and of very many the oldest are missing.
func (c *Conversation) EditsSince(m Mark) []string {
	var paths []string
	for _, e := range c.Edits {
		if e.Line > m.Lines {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// ShellSince reports whether a shell command was run after m, or one was over by then
// of which the transcript tells only when it is. What such a command changes it does
// not tell.
func (c *Conversation) ShellSince(m Mark) bool { return c.LastShell() > m.Lines }

// LastShell is the number of the line with the last shell command that ShellSince
// counts; 0 for none.
func (c *Conversation) LastShell() int { return max(c.Ran, c.Over) }

// Forget drops the prompts before m.
func (c *Conversation) Forget(m Mark) {
	n := c.promptsUpTo(m)
	c.Prompts = slices.Clone(c.Prompts[n:])
	c.Forgotten += n
	if len(c.PromptAt) > 0 {
		c.PromptAt = slices.Clone(c.PromptAt[n:])
	}
	if len(c.Prompts) == 0 {
		c.Prompts, c.PromptAt = nil, nil
	}
}

// promptsUpTo is how many of the prompts came before m. Where prompts can be taken
// back, their messages tell, which are counted on.
func (c *Conversation) promptsUpTo(m Mark) int {
	if c.Agent == AgentTypeGemini {
		n, _ := slices.BinarySearch(c.PromptAt, m.Items)
		return n
	}
	return min(max(m.Prompts-c.Forgotten, 0), len(c.Prompts))
}

// Items is the number that a checkpoint's part of a transcript begins with when it
// begins here: of messages for Gemini, else of lines.
func (c *Conversation) Items() int {
	if c.Agent == AgentTypeGemini {
		return c.Messages
	}
	return c.Lines
}

// Read is the conversation in a whole transcript, its last line counted whether
// or not it ends with a newline.
func Read(t AgentType, transcript []byte) *Conversation {
	c := NewConversation(t)
	if t == AgentTypeGemini && IsDocument(transcript) {
		c.AddDocument(transcript)
		return c
	}
	wholeFile(transcript, c.AddLine)
	return c
}

// Prompts are what the user said in a whole transcript of lines.
func Prompts(transcript []byte) []string {
	return Read(AgentTypeUnknown, transcript).Prompts
}

// Usage is what a whole transcript of lines reports, subagents not included.
func Usage(transcript []byte) TokenUsage {
	return Read(AgentTypeUnknown, transcript).Usage()
}

// TouchedSince are the patterns of files that calls after m may have written, apart from
// what editing tools named.
func (c *Conversation) TouchedSince(m Mark) []effects.Files {
	var out []effects.Files
	for _, t := range c.Touched {
		if t.Line > m.Lines {
			out = append(out, t.Files)
		}
	}
	return out
}

// AtLarge reports work of which the transcript does not tell yet, or will not: a call may
// have gone on when it was over, or a subagent is at work.
func (c *Conversation) AtLarge() bool {
	return c.Stayed > 0 || slices.ContainsFunc(c.OpenCalls, func(o ToolCall) bool { return isSubagentTool(o.Name) })
}
