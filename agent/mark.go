package agent

import "slices"

// Mark is a place in a conversation. What came after it can be asked for; the
// slices between marks add up to the whole. A zero Mark is the beginning.
type Mark struct {
	Lines   int        `json:"lines"`
	Prompts int        `json:"prompts"`
	Agents  int        `json:"agents,omitempty"`
	Usage   TokenUsage `json:"usage"`
}

// Mark returns the place after the last line added.
func (c *Conversation) Mark() Mark {
	return Mark{
		Lines:   c.Lines,
		Prompts: c.Forgotten + len(c.Prompts),
		Agents:  len(c.AgentIDs),
		Usage:   c.Usage(),
	}
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
	from := min(max(m.Prompts-c.Forgotten, 0), len(c.Prompts))
	return slices.Clone(c.Prompts[from:])
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

// Forget drops the prompts before m.
func (c *Conversation) Forget(m Mark) {
	n := min(max(m.Prompts-c.Forgotten, 0), len(c.Prompts))
	c.Prompts = slices.Clone(c.Prompts[n:])
	c.Forgotten += n
	if len(c.Prompts) == 0 {
		c.Prompts = nil
	}
}

// Read is the conversation in a whole transcript, its last line counted whether
// or not it ends with a newline.
func Read(t AgentType, transcript []byte) *Conversation {
	c := NewConversation(t)
	wholeFile(transcript, c.AddLine)
	return c
}

// Prompts are what the user said in a whole transcript of lines.
func Prompts(transcript []byte) []string {
	return Read(AgentTypeClaudeCode, transcript).Prompts
}

// Usage is what a whole transcript of lines reports, subagents not included.
func Usage(transcript []byte) TokenUsage {
	return Read(AgentTypeClaudeCode, transcript).Usage()
}
