package conversation

import (
	"entire/agent"
	"entire/agent/claude"
	"entire/agent/internal/jsontext"
)

func (n *Normalizer) addClaude(dst []agent.Message, l *claude.Line) []agent.Message {
	chain := l.Chain()
	parent := n.Links.resolve(l.Parent, l.Logical, chain)
	if l.Kind == "" {
		n.Links.bridge(l.UUID, parent)
		return dst
	}
	if n.Links.knows(l.UUID) {
		return n.repeated(dst, l)
	}
	pieces := n.claudePieces(l)
	if len(pieces) == 0 {
		n.Links.bridge(l.UUID, parent)
		return dst
	}
	agentID := agent.Clip(jsontext.Unquote(l.AgentID), agent.MaxName)
	for i := range pieces {
		m := &pieces[i]
		m.Timestamp, m.Sidechain, m.AgentID = ParseTimestamp(l.Timestamp), l.Sidechain, agentID
	}
	return n.appendParts(dst, n.lineName(l.UUID), parent, chain, pieces)
}

// repeated handles a record that was returned before: only its usage may be new.
func (n *Normalizer) repeated(dst []agent.Message, l *claude.Line) []agent.Message {
	n.Repeated++
	if u := n.claudeUsage(l); u != nil {
		n.Owed = *u
	}
	return dst
}

func (n *Normalizer) claudeUsage(l *claude.Line) *agent.TokenUsage {
	if l.Kind != "assistant" || l.Message.ID == "" {
		return nil
	}
	answer := agent.Clip(l.Message.ID, agent.MaxName)
	return n.addedUsage(answer, func() { n.Conversation.addUsage(answer, l.Message.Tokens()) })
}

// claudePieces returns the messages of a line without the fields that they share.
func (n *Normalizer) claudePieces(l *claude.Line) []agent.Message {
	c := claude.ContentOf(l.Message.Content)
	if l.Kind == "user" {
		pieces := n.toolPieces(&c)
		if len(c.Texts) > 0 {
			pieces = append(pieces, agent.Message{Role: agent.RoleUser, Content: c.Text(), Injected: l.Injected || isInjected(&c)})
		}
		return pieces
	}
	m := agent.Message{Role: agent.RoleAssistant, Content: c.Text(), ToolCalls: c.Calls,
		MessageID: agent.Clip(l.Message.ID, agent.MaxName), Usage: n.claudeUsage(l)}
	if l.Message.Model != agent.SyntheticModel {
		m.Model = agent.Clip(l.Message.Model, agent.MaxName)
	}
	n.noteTools(c.Calls)
	return append([]agent.Message{m}, n.toolPieces(&c)...)
}

// isInjected reports whether the program, and not a person, wrote all text of a user's
// message.
func isInjected(c *claude.Content) bool {
	return !c.Typed && agent.CleanPrompt(c.Text()) == ""
}

// toolPieces returns the messages of a record's tool results.
func (n *Normalizer) toolPieces(c *claude.Content) []agent.Message {
	var pieces []agent.Message
	for _, r := range c.Results {
		pieces = append(pieces, agent.Message{Role: agent.RoleTool, Content: r.Text, IsError: r.IsError,
			ToolCallID: r.CallID, ToolName: n.closeTool(r.CallID)})
	}
	return pieces
}

// noteTools stores the names of called tools.
func (n *Normalizer) noteTools(calls []agent.ToolUse) {
	for _, call := range calls {
		if call.ID != "" && len(call.ID) <= agent.MaxName {
			n.Conversation.closeCall(call.ID)
			n.Conversation.openCall(ToolCall{ID: call.ID, Name: agent.Clip(call.Name, agent.MaxName)})
		}
	}
}

// closeTool returns the name of the tool of a call, and closes the call.
func (n *Normalizer) closeTool(callID string) string {
	for _, call := range n.Conversation.OpenCalls {
		if call.ID == callID {
			n.Conversation.closeCall(callID)
			return call.Name
		}
	}
	return ""
}
