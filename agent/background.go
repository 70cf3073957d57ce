package agent

import (
	"strings"

	"github.com/tidwall/gjson"

	"entire/id"
)

// taskRunes is how many characters of a subagent's prompt describe its task.
const taskRunes = 80

// prompted sets what began a turn: a prompt or, if the text is only a notification of the
// agent's program, the continuation of a turn.
func (ev *Event) prompted(text string) {
	if strings.TrimSpace(text) == "" || CleanPrompt(text) != "" {
		ev.Prompt = text
		return
	}
	ev.Type, ev.Ended = TurnGoesOn, endedTasks(text)
}

// endedTasks returns the subagents that notifications in text report as ended.
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

// nameless reports whether the event is about a subagent but does not name the call that
// started it; the subagent reports itself in its own events.
func (ev Event) nameless() bool {
	return (ev.Type == TaskStart || ev.Type == TaskEnd) && ev.ToolUseID == "" && (ev.AgentID == "" || ev.ToolName != "")
}

// aside turns an event of a subagent into one of the session that it works for. For a
// subagent that calls hooks like a session, the start and the end of its turn are those of
// the task.
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

// subagent sets the subagent of a task's event. The end of a call that launched a subagent
// in the background is the start of the task.
func (p *payload) subagent(ev *Event) {
	if ev.ToolUseID == "" { // an event of the subagent itself
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

// atWork returns the subagents that work in the background; nil if the payload does not
// say.
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
