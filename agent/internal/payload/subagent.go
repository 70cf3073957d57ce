package payload

import (
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/id"
)

// Prompt returns the user's text: a string, or the text blocks of a message.
func (p *Payload) Prompt() string {
	v, name := p.Find("prompt")
	if v.IsArray() {
		return jsontext.TextOf(v)
	}
	return jsontext.ValidUTF8(p.textOf(v, name))
}

// Tool sets the fields that describe a tool call.
func (p *Payload) Tool(ev *agent.Event) {
	ev.ToolUseID = id.ToolUseIDFor(p.Text("tool_use_id", "toolUseId", "toolUseID"))
	ev.ToolName = p.Text("tool_name", "toolName")
	input, raw := p.object("tool_input", "toolInput")
	ev.ToolInput = raw
	switch ev.Type {
	case agent.Todo:
		ev.Todos = p.todos(input)
		return
	case agent.ToolStart, agent.ToolEnd:
		return
	}
	m := Members(input)
	ev.SubagentType = p.textOf(first(m, "subagent_type", "subagentType", "agent_type"), "tool_input.subagent_type")
	ev.Description = p.textOf(m["description"], "tool_input.description")
	if ev.Type == agent.TaskStart && ev.ToolUseID != "" {
		ev.AgentID = "" // it was the caller's
	}
	p.subagent(ev)
}

// endedSubagent returns the ID of the subagent that a tool's response names, in a member of an
// object or in text.
func (p *Payload) endedSubagent() string {
	v, name := p.Find("tool_response", "toolResponse")
	if !v.IsObject() {
		return AgentIDIn(jsontext.TextOf(v))
	}
	m := Members(v)
	if found := p.Word(first(m, "agentId", "agent_id", "agentID"), name+".agentId"); found != "" {
		return found
	}
	return AgentIDIn(jsontext.TextOf(m["content"]))
}

func first(m map[string]gjson.Result, names ...string) gjson.Result {
	for _, n := range names {
		if v, ok := m[n]; ok {
			return v
		}
	}
	return gjson.Result{}
}

// Excerpt returns the start of an external text, short enough for an error.
func Excerpt(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}

// AgentIDMark precedes the ID of a subagent in the text of its result.
const AgentIDMark = "agentId: "

// AgentIDIn returns the last subagent's ID in text, where Claude Code puts it; "" if there
// is none.
func AgentIDIn(text string) string {
	i := strings.LastIndex(text, AgentIDMark)
	if i < 0 {
		return ""
	}
	s := text[i+len(AgentIDMark):]
	if end := strings.IndexFunc(s, func(r rune) bool { return !jsontext.IsAlnum(r) }); end >= 0 {
		s = s[:end]
	}
	if !jsontext.IsSafeName(s) {
		return ""
	}
	return s
}
