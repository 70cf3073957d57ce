package conversation

import (
	"strconv"

	"entire/agent"
)

// addRecord appends the messages of a record.
func (n *Normalizer) addRecord(dst []agent.Message, r *agent.Record) []agent.Message {
	chain := agent.Clip(r.Subagent, agent.MaxName)
	if chain == agent.MainChain && r.Model != agent.SyntheticModel {
		agent.SetIf(&n.Conversation.Model, agent.Clip(r.Model, agent.MaxName))
	}
	parent := n.parentOf(r, chain)
	if r.ID != "" && !r.SharesID && n.Links.knows(r.ID) {
		n.Repeated++
		n.owe(r)
		return dst
	}
	pieces := n.pieces(r)
	if len(pieces) == 0 {
		n.owe(r)
		n.Links.bridge(r.ID, parent)
		return dst
	}
	agentID := chain
	if chain == agent.StrayChain {
		agentID = ""
	}
	for i := range pieces {
		m := &pieces[i]
		m.Timestamp, m.Sidechain, m.AgentID = ParseTimestamp(r.Time), chain != agent.MainChain, agentID
	}
	uuid := n.lineName(r.ID)
	switch { // several records may share an ID, and a line have several records without one
	case uuid == r.ID && !r.SharesID, !n.Links.knows(uuid): // the former was looked for above
	case r.SharesID:
		uuid = n.lineName("")
	default:
		uuid += "." + strconv.Itoa(len(dst))
	}
	return n.appendParts(dst, uuid, parent, chain, pieces)
}

// parentOf returns the message that precedes a record.
func (n *Normalizer) parentOf(r *agent.Record, chain string) string {
	switch {
	case r.NoParent && r.Continues == "":
		return ""
	case r.NoParent:
		return n.Links.resolve(r.Continues, chain)
	case r.Parent == "":
		return n.Links.tip(chain)
	}
	return n.Links.resolve(r.Parent, chain)
}

// owe counts the usage of a record without a message; the next message gets it.
func (n *Normalizer) owe(r *agent.Record) {
	if u := n.usageOf(r); u != nil {
		n.Owed = *u
	}
}

// usageOf counts the usage that a record reports, and returns what it adds; nil for nothing.
func (n *Normalizer) usageOf(r *agent.Record) *agent.TokenUsage {
	if r.Usage == nil {
		return nil
	}
	answer := answerOf(r, n.Lines)
	return n.addedUsage(answer, func() { n.Conversation.addUsage(answer, *r.Usage) })
}

// pieces returns the messages of a record without the fields that they share.
func (n *Normalizer) pieces(r *agent.Record) []agent.Message {
	if r.Role == "" {
		return nil
	}
	m := agent.Message{Role: r.Role, Content: textOf(r)}
	var results []agent.Message
	other := false
	for i := range r.Parts {
		switch p := &r.Parts[i]; p.Kind {
		case agent.CallPart:
			m.ToolCalls = append(m.ToolCalls, p.Call.ToolUse)
			n.noteTool(&p.Call.ToolUse)
		case agent.ResultPart:
			m := resultOf(p)
			if name := n.closeTool(p.CallID); name != "" {
				m.ToolName = name
			}
			results = append(results, m)
		case agent.OtherPart:
			other = true
		}
	}
	switch r.Role {
	case agent.RoleAssistant:
		n.answer(&m, r)
		return append([]agent.Message{m}, results...)
	case agent.RoleUser:
		if m.Content == "" {
			return results
		}
		m.Injected = r.Injected || !other && agent.CleanPrompt(m.Content) == ""
		return append(results, m)
	case agent.RoleTool:
		if results == nil {
			return toldOf(r, m)
		}
		return results
	}
	if m.Content == "" {
		return nil
	}
	return []agent.Message{m}
}

// resultOf returns the message of a result.
func resultOf(p *agent.Part) agent.Message {
	return agent.Message{Role: agent.RoleTool, Content: p.Text, ToolCallID: p.CallID, ToolName: agent.Clip(p.Tool, agent.MaxName), IsError: p.Failed}
}

// answer sets what only an assistant's message has.
func (n *Normalizer) answer(m *agent.Message, r *agent.Record) {
	m.MessageID = agent.Clip(r.Answer, agent.MaxName)
	if r.Model != agent.SyntheticModel {
		m.Model = n.Conversation.Model
		agent.SetIf(&m.Model, agent.Clip(r.Model, agent.MaxName))
	}
	if m.Usage = n.usageOf(r); m.Usage == nil {
		m.Usage = n.withOwed(agent.TokenUsage{})
	}
}

// toldOf returns the message of a record that only reports what a tool did, none if it names no tool.
func toldOf(r *agent.Record, m agent.Message) []agent.Message {
	for i := range r.Parts {
		p := &r.Parts[i]
		if p.Kind != agent.FilesPart || p.Call.Name == "" && p.Call.Command == "" && m.Content == "" {
			continue
		}
		if m.ToolName = agent.Clip(p.Call.Name, agent.MaxName); m.Content == "" {
			m.Content = toldLine(p)
		}
		return []agent.Message{m}
	}
	return nil
}

// noteTool stores the name of a called tool.
func (n *Normalizer) noteTool(call *agent.ToolUse) {
	if call.ID != "" && len(call.ID) <= agent.MaxName {
		n.Conversation.closeCall(call.ID)
		n.Conversation.openCall(ToolCall{ID: call.ID, Name: agent.Clip(call.Name, agent.MaxName)})
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
