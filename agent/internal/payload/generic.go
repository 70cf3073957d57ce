package payload

import (
	"errors"
	"unicode"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// GenericTask sets the fields of a task or a to-do list; it also accepts the fields of
// other agents' payloads.
func (p *Payload) GenericTask(ev *agent.Event) error {
	if v, ok := p.fields["task_id"]; ok {
		if _, has := p.fields["tool_use_id"]; !has {
			p.fields["tool_use_id"] = v
		}
	}
	p.Tool(ev)
	if ev.ToolUseID == "" && ev.Type != agent.Todo {
		return errors.New("no tool_use_id in input")
	}
	agent.SetIf(&ev.Description, p.Text("description"))
	agent.SetIf(&ev.SubagentType, p.Text("task_type"))
	if todos := p.todos(gjson.Result{Type: gjson.JSON, Raw: p.raw}); ev.Type == agent.Todo && len(todos) > 0 {
		ev.Todos = todos
	}
	return nil
}

// Texts returns a field that must be a list of strings.
func (p *Payload) Texts(name string) []string {
	v, found := p.Find(name)
	if found == "" {
		return nil
	}
	if !v.IsArray() {
		p.Warn("%s is not an array: ignored", name)
		return nil
	}
	var out []string
	v.ForEach(func(_, v gjson.Result) bool {
		if s := p.textOf(v, "an item of "+name); s != "" {
			out = append(out, jsontext.ValidUTF8(s))
		}
		return true
	})
	return out
}

// maxAgentName bounds an agent's name, which is shown in trailers and lists.
const maxAgentName = 40

// AgentNamed returns the agent's name in a payload, which is shown and stored: one line of
// printable text.
func (p *Payload) AgentNamed(field string) agent.AgentType {
	name := p.Text(field)
	if name == "" {
		return agent.AgentTypeUnknown
	}
	for _, r := range name {
		if !unicode.IsPrint(r) || r == ':' {
			p.Warn("%s is not one line of text without a colon: ignored", field)
			return agent.AgentTypeUnknown
		}
	}
	if len(name) > maxAgentName || agent.OneLine(name) != name {
		p.Warn("%s is longer than %d bytes or has loose space: ignored", field, maxAgentName)
		return agent.AgentTypeUnknown
	}
	return agent.AgentType(name)
}
