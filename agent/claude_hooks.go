package agent

import (
	"fmt"
	"time"

	"github.com/tidwall/gjson"

	"entire/id"
)

// claudeVerbs are the verbs that Claude Code's hooks pass to this program.
var claudeVerbs = []struct {
	verb string
	is   EventType
}{
	{"session-start", SessionStart},
	{"user-prompt-submit", TurnStart},
	{"stop", TurnEnd},
	{"session-end", SessionEnd},
	{"pre-task", TaskStart},
	{"post-task", TaskEnd},
	{"post-todo", Todo},
	{"pre-tool", ToolStart},
	{"post-tool", ToolEnd},
	{"subagent-start", TaskStart},
	{"subagent-stop", TaskEnd},
}

// Verbs implements Agent.
func (ClaudeCode) Verbs() []string {
	out := make([]string, len(claudeVerbs))
	for i, v := range claudeVerbs {
		out[i] = v.verb
	}
	return out
}

func claudeEvent(verb string) (EventType, bool) {
	for _, v := range claudeVerbs {
		if v.verb == verb {
			return v.is, true
		}
	}
	return "", false
}

// Decode implements Agent. Other agents run Claude Code's hooks, too, so the payload
// decides which agent calls.
func (c ClaudeCode) Decode(verb string, data []byte, now time.Time) (Event, error) {
	what, ok := claudeEvent(verb)
	if !ok {
		return Event{}, fmt.Errorf("%w %q for %s", ErrUnknownVerb, excerpt(verb), c.Name())
	}
	p, err := parsePayload(data)
	if err != nil {
		return Event{}, fmt.Errorf("parse hook input for %s: %w", verb, err)
	}
	ev, err := c.event(what, p)
	if err != nil {
		return Event{}, fmt.Errorf("parse hook input for %s: %w", verb, err)
	}
	if ev.nameless() {
		return Event{}, nil // the subagent reports itself
	}
	ev.Time, ev.Warnings = now, p.warnings
	return ev, nil
}

func (c ClaudeCode) event(what EventType, p *payload) (Event, error) {
	ev := Event{Type: what, Agent: c.Name(), Dir: p.dir()}
	ev.TranscriptPath = p.path(ev.Dir, "transcript_path", "transcriptPath")
	ev.AgentType = p.caller(ev.TranscriptPath, c.Type())
	var err error
	if ev.SessionID, err = p.session(ev.TranscriptPath, c.sessionOf); err != nil {
		return Event{}, err
	}
	agentID, name := p.find("agent_id", "agentId")
	ev.AgentID = p.word(agentID, name)
	ev.Mode = p.mode()
	if err = p.aside(&ev); err != nil {
		return Event{}, err
	}
	switch ev.Type {
	case SessionStart:
		ev.Source, ev.Model = p.text("source"), p.text("model")
	case TurnStart:
		ev.Source = p.text("source")
		ev.prompted(p.prompt())
	case TurnEnd:
		ev.AtWork = p.atWork()
	case SessionEnd:
		ev.Reason = p.text("reason")
	case TaskStart, TaskEnd, Todo, ToolStart, ToolEnd:
		err = p.tool(&ev)
	}
	return ev, err
}

// prompt returns the user's text: a string, or the text blocks of a message.
func (p *payload) prompt() string {
	v, name := p.find("prompt")
	if v.IsArray() {
		return textOf(v)
	}
	return p.textOf(v, name)
}

// tool sets the fields that describe a tool call.
func (p *payload) tool(ev *Event) error {
	var err error
	if ev.ToolUseID, err = id.ParseToolUseID(p.text("tool_use_id", "toolUseId", "toolUseID")); err != nil {
		return err
	}
	ev.ToolName = p.text("tool_name", "toolName")
	input, raw := p.object("tool_input", "toolInput")
	ev.ToolInput = raw
	switch ev.Type {
	case Todo:
		ev.Todos = p.todos(input)
		return nil
	case ToolStart, ToolEnd:
		return nil
	}
	m := members(input)
	ev.SubagentType = p.textOf(first(m, "subagent_type", "subagentType", "agent_type"), "tool_input.subagent_type")
	ev.Description = p.textOf(m["description"], "tool_input.description")
	if ev.Type == TaskStart && ev.ToolUseID != "" {
		ev.AgentID = "" // it was the caller's
	}
	p.subagent(ev)
	return nil
}

// ended returns the ID of the subagent that a tool's response names, in a member of an
// object or in text.
func (p *payload) ended() string {
	v, name := p.find("tool_response", "toolResponse")
	if !v.IsObject() {
		return agentIDIn(textOf(v))
	}
	m := members(v)
	if found := p.word(first(m, "agentId", "agent_id", "agentID"), name+".agentId"); found != "" {
		return found
	}
	return agentIDIn(textOf(m["content"]))
}

func first(m map[string]gjson.Result, names ...string) gjson.Result {
	for _, n := range names {
		if v, ok := m[n]; ok {
			return v
		}
	}
	return gjson.Result{}
}

// excerpt returns the start of an external text, short enough for an error.
func excerpt(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}
