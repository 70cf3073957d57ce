package agent

import "strconv"

// addGeneric appends the messages of a line in this program's own format. Each line's
// parent is the line before it.
func (n *Normalizer) addGeneric(dst []Message, l *genericLine) []Message {
	pieces := n.genericPieces(l)
	for i := range pieces {
		pieces[i].Timestamp = moment(l.time)
	}
	if len(pieces) == 0 {
		return dst
	}
	uuid := n.lineName(l.id)
	if n.Links.knows(uuid) { // several lines may share an ID
		uuid = n.lineName("")
	}
	return n.give(dst, uuid, n.Links.tip(mainChain), mainChain, pieces)
}

func (n *Normalizer) genericPieces(l *genericLine) []Message {
	c := l.blocks()
	switch l.role {
	case "user", "human":
		pieces := n.toolPieces(&c)
		if len(c.texts) > 0 {
			pieces = append(pieces, Message{Role: RoleUser, Content: c.text(), Injected: nobodyTyped(&c)})
		}
		return pieces
	case "assistant":
		m := Message{Role: RoleAssistant, Content: c.text(), ToolCalls: c.calls,
			Model: clip(l.model, maxName), MessageID: clip(l.id, maxName), Usage: n.genericUsage(l)}
		n.open(c.calls)
		return append([]Message{m}, n.toolPieces(&c)...)
	case "tool":
		return n.genericTool(l, &c)
	}
	if len(c.texts) == 0 {
		return nil
	}
	return []Message{{Role: RoleSystem, Content: c.text()}}
}

// genericTool returns the messages of a tool's line: the results, if it answers calls,
// otherwise what the tool did.
func (n *Normalizer) genericTool(l *genericLine, c *content) []Message {
	if len(c.results) > 0 {
		return n.toolPieces(c)
	}
	m := Message{Role: RoleTool, ToolName: clip(l.name, maxName), Content: c.text()}
	if m.Content == "" {
		m.Content = l.line()
	}
	return []Message{m}
}

func (n *Normalizer) genericUsage(l *genericLine) *TokenUsage {
	if at(l.usage, 0) != '{' {
		return n.owing(TokenUsage{})
	}
	answer := l.id
	if answer == "" {
		answer = "line " + strconv.Itoa(n.Lines)
	}
	answer = clip(answer, maxName)
	return n.spend(answer, func() { n.Talk.addUsage(answer, l.tokens()) })
}

// blocks returns the content of the line, whichever member holds it.
func (l *genericLine) blocks() content {
	var inner []byte
	if at(l.message, 0) == '{' {
		var m claudeMessage
		eachMember(l.message, m.take)
		inner = m.content
	}
	for _, raw := range [][]byte{l.text, l.content, inner} {
		c := contentOf(raw)
		if len(c.texts)+len(c.calls)+len(c.results) > 0 {
			return c
		}
	}
	return content{}
}
