package agent

import (
	"strings"

	"github.com/tidwall/gjson"

	"entire/id"
)

// taskRunes is how much of what a subagent was asked describes its task.
const taskRunes = 80

// prompted says what came at the beginning of a turn: a prompt, or what the agent's
// program tells it, with which a turn goes on.
func (ev *Event) prompted(text string) {
	if strings.TrimSpace(text) == "" || CleanPrompt(text) != "" {
		ev.Prompt = text
		return
	}
	ev.Type, ev.Ended = TurnGoesOn, endedTasks(text)
}

// endedTasks are the subagents that notifications tell of.
func endedTasks(text string) []string {
	const open, end = "<task-id>", "</task-id>"
	var out []string
	for {
		_, rest, found := strings.Cut(text, open)
		name, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			return out
		}
		if name = strings.TrimSpace(name); isWord(name) {
			out = append(out, name)
		}
		text = after
	}
}

// nameless reports a call for a subagent that does not say which call it is: the subagent
// tells of itself.
func (ev Event) nameless() bool {
	return (ev.Type == TaskStart || ev.Type == TaskEnd) && ev.ToolUseID == "" && (ev.AgentID == "" || ev.ToolName != "")
}

// aside makes an event of a subagent one of the session that it works for. One that
// calls as a session of its own begins with what it was asked and ends with its turn.
func (p *payload) aside(ev *Event) error {
	if parent := p.text("parent_agent_id", "parentAgentId"); parent != "" {
		sid, err := id.ParseSessionID(parent)
		if err != nil {
			return err
		}
		ev.SessionID = sid
	}
	switch {
	case ev.AgentID == "":
	case ev.Type == TurnStart:
		ev.Type, ev.Launched, ev.Alone = TaskStart, true, true
	case ev.Type == TurnEnd:
		ev.Type, ev.Alone = TaskEnd, true
	}
	return nil
}

// subagent says which subagent a task's event is about, and that one which was launched
// in the background has begun and not ended.
func (p *payload) subagent(ev *Event) {
	if ev.ToolUseID == "" { // the subagent's own event
		setIf(&ev.SubagentType, p.text("agent_type", "agentType"))
		if ev.Alone && ev.Type == TaskStart {
			ev.Description = ShortPrompt(CleanPrompt(p.prompt()), taskRunes)
		}
		return
	}
	if ev.Type != TaskEnd {
		return
	}
	ev.AgentID = p.ended()
	if v, _ := p.find("tool_response", "toolResponse"); v.IsObject() && v.Get("isAsync").Type == gjson.True {
		ev.Type, ev.Launched = TaskStart, true
	}
}

// atWork are the subagents that work in the background, nil where nothing says.
func (p *payload) atWork() []string {
	v, name := p.find("background_tasks", "backgroundTasks")
	if name == "" {
		return nil
	}
	out := []string{}
	v.ForEach(func(_, task gjson.Result) bool {
		m := members(task)
		if name := m["id"].Str; isWord(name) && m["type"].Str == "subagent" && (m["status"].Str == "running" || m["status"].Str == "") {
			out = append(out, name)
		}
		return true
	})
	return out
}
