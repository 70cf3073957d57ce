package agent

import "strings"

// mainChain is the name of the conversation that is not a subagent's; strayChain that of a
// subagent without an ID.
const (
	mainChain  = ""
	strayChain = "sidechain"
)

// chain returns the conversation that the line belongs to.
func (l *claudeLine) chain() string {
	if !l.sidechain {
		return mainChain
	}
	if name := unquote(l.agentID); name != "" {
		return clip(strings.Clone(name), maxName)
	}
	return strayChain
}

func (n *Normalizer) addClaude(dst []Message, l *claudeLine) []Message {
	chain := l.chain()
	parent := n.Links.resolve(l.parent, l.logical, chain)
	if l.kind == "" {
		n.Links.bridge(l.uuid, parent)
		return dst
	}
	if n.Links.knows(l.uuid) {
		return n.repeated(dst, l)
	}
	pieces := n.claudePieces(l)
	if len(pieces) == 0 {
		n.Links.bridge(l.uuid, parent)
		return dst
	}
	agentID := clip(unquote(l.agentID), maxName)
	for i := range pieces {
		m := &pieces[i]
		m.Timestamp, m.Sidechain, m.AgentID = moment(l.timestamp), l.sidechain, agentID
	}
	return n.give(dst, n.lineName(l.uuid), parent, chain, pieces)
}

// repeated handles a record that was returned before: only its usage may be new.
func (n *Normalizer) repeated(dst []Message, l *claudeLine) []Message {
	n.Repeated++
	if u := n.claudeUsage(l); u != nil {
		n.Owed = *u
	}
	return dst
}

func (n *Normalizer) claudeUsage(l *claudeLine) *TokenUsage {
	if l.kind != "assistant" || l.message.id == "" {
		return nil
	}
	answer := clip(l.message.id, maxName)
	return n.spend(answer, func() { n.Talk.addUsage(answer, l.message.tokens()) })
}

// claudePieces returns the messages of a line without the fields that they share.
func (n *Normalizer) claudePieces(l *claudeLine) []Message {
	c := contentOf(l.message.content)
	if l.kind == "user" {
		pieces := n.toolPieces(&c)
		if len(c.texts) > 0 {
			pieces = append(pieces, Message{Role: RoleUser, Content: c.text(), Injected: l.injected || nobodyTyped(&c)})
		}
		return pieces
	}
	m := Message{Role: RoleAssistant, Content: c.text(), ToolCalls: c.calls,
		MessageID: clip(l.message.id, maxName), Usage: n.claudeUsage(l)}
	if l.message.model != syntheticModel {
		m.Model = clip(l.message.model, maxName)
	}
	n.open(c.calls)
	return append([]Message{m}, n.toolPieces(&c)...)
}

// nobodyTyped reports whether the program, and not a person, wrote all text of a user's
// message.
func nobodyTyped(c *content) bool {
	return !c.typed && CleanPrompt(c.text()) == ""
}

// toolPieces returns the messages of a record's tool results.
func (n *Normalizer) toolPieces(c *content) []Message {
	var pieces []Message
	for _, r := range c.results {
		pieces = append(pieces, Message{Role: RoleTool, Content: r.text, IsError: r.isError,
			ToolCallID: r.callID, ToolName: n.called(r.callID)})
	}
	return pieces
}

// open stores the names of called tools.
func (n *Normalizer) open(calls []ToolUse) {
	for _, call := range calls {
		if call.ID != "" && len(call.ID) <= maxName {
			n.Talk.closeCall(call.ID)
			n.Talk.openCall(ToolCall{ID: call.ID, Name: clip(call.Name, maxName)})
		}
	}
}

// called returns the name of the tool of a call, and closes the call.
func (n *Normalizer) called(callID string) string {
	for _, call := range n.Talk.OpenCalls {
		if call.ID == callID {
			n.Talk.closeCall(callID)
			return call.Name
		}
	}
	return ""
}
