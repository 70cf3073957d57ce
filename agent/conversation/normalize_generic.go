package conversation

import (
	"strconv"

	"entire/agent"
	"entire/agent/claude"
	"entire/agent/generic"
	"entire/agent/internal/jsontext"
)

// AddGeneric appends the messages of a line in this program's own format. Each line's
// parent is the line before it.
func (n *Normalizer) AddGeneric(dst []agent.Message, l *generic.Line) []agent.Message {
	pieces := n.genericPieces(l)
	for i := range pieces {
		pieces[i].Timestamp = ParseTimestamp(l.Time)
	}
	if len(pieces) == 0 {
		return dst
	}
	uuid := n.lineName(l.ID)
	if n.Links.knows(uuid) { // several lines may share an ID
		uuid = n.lineName("")
	}
	return n.appendParts(dst, uuid, n.Links.tip(agent.MainChain), agent.MainChain, pieces)
}

func (n *Normalizer) genericPieces(l *generic.Line) []agent.Message {
	c := blocks(l)
	switch l.Role {
	case "user", "human":
		pieces := n.toolPieces(&c)
		if len(c.Texts) > 0 {
			pieces = append(pieces, agent.Message{Role: agent.RoleUser, Content: c.Text(), Injected: isInjected(&c)})
		}
		return pieces
	case "assistant":
		m := agent.Message{Role: agent.RoleAssistant, Content: c.Text(), ToolCalls: c.Calls,
			Model: agent.Clip(l.Model, agent.MaxName), MessageID: agent.Clip(l.ID, agent.MaxName), Usage: n.genericUsage(l)}
		n.noteTools(c.Calls)
		return append([]agent.Message{m}, n.toolPieces(&c)...)
	case "tool":
		return n.genericTool(l, &c)
	}
	if len(c.Texts) == 0 {
		return nil
	}
	return []agent.Message{{Role: agent.RoleSystem, Content: c.Text()}}
}

// genericTool returns the messages of a tool's line: the results, if it answers calls,
// otherwise what the tool did.
func (n *Normalizer) genericTool(l *generic.Line, c *claude.Content) []agent.Message {
	if len(c.Results) > 0 {
		return n.toolPieces(c)
	}
	m := agent.Message{Role: agent.RoleTool, ToolName: agent.Clip(l.Name, agent.MaxName), Content: c.Text()}
	if m.Content == "" {
		m.Content = l.Line()
	}
	return []agent.Message{m}
}

func (n *Normalizer) genericUsage(l *generic.Line) *agent.TokenUsage {
	if jsontext.At(l.Usage, 0) != '{' {
		return n.withOwed(agent.TokenUsage{})
	}
	answer := l.ID
	if answer == "" {
		answer = "line " + strconv.Itoa(n.Lines)
	}
	answer = agent.Clip(answer, agent.MaxName)
	return n.addedUsage(answer, func() { n.Conversation.addUsage(answer, l.Tokens()) })
}

// blocks returns the content of the line, whichever member holds it.
func blocks(l *generic.Line) claude.Content {
	var inner []byte
	if jsontext.At(l.Message, 0) == '{' {
		var m claude.Message
		jsontext.EachMember(l.Message, m.Take)
		inner = m.Content
	}
	for _, raw := range [][]byte{l.Text, l.Content, inner} {
		c := claude.ContentOf(raw)
		if len(c.Texts)+len(c.Calls)+len(c.Results) > 0 {
			return c
		}
	}
	return claude.Content{}
}
