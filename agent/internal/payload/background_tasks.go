package payload

import (
	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/id"
)

// taskRunes is how many characters of a subagent's prompt describe its task.
const taskRunes = 80

// TurnIntoTask turns an event of a subagent into one of the session that it works for. For a
// subagent that calls hooks like a session, the start and the end of its turn are those of
// the task.
func (p *Payload) TurnIntoTask(ev *agent.Event) error {
	if parent := p.Text("parent_agent_id", "parentAgentId"); parent != "" {
		sid, err := id.ParseSessionID(parent)
		if err != nil {
			return err
		}
		ev.SessionID = sid
	}
	switch {
	case ev.AgentID == "":
	case ev.Type == agent.TurnStart:
		ev.Type, ev.Launched, ev.OwnSession = agent.TaskStart, true, true
	case ev.Type == agent.TurnEnd:
		ev.Type, ev.OwnSession = agent.TaskEnd, true
	}
	return nil
}

// subagent sets the subagent of a task's event. The end of a call that launched a subagent
// in the background is the start of the task.
func (p *Payload) subagent(ev *agent.Event) {
	if ev.ToolUseID == "" { // an event of the subagent itself
		agent.SetIf(&ev.SubagentType, p.Text("agent_type", "agentType"))
		if ev.OwnSession && ev.Type == agent.TaskStart {
			ev.Description = agent.ShortPrompt(agent.CleanPrompt(p.Prompt()), taskRunes)
		}
		return
	}
	if ev.Type != agent.TaskEnd {
		return
	}
	ev.AgentID = p.endedSubagent()
	if v, _ := p.Find("tool_response", "toolResponse"); v.IsObject() && v.Get("isAsync").Type == gjson.True {
		ev.Type, ev.Launched = agent.TaskStart, true
	}
}

// BackgroundTasks returns the subagents that work in the background; nil if the payload does not
// say.
func (p *Payload) BackgroundTasks() []string {
	v, name := p.Find("background_tasks", "backgroundTasks")
	if name == "" {
		return nil
	}
	out := []string{}
	v.ForEach(func(_, task gjson.Result) bool {
		m := Members(task)
		if name := m["id"].Str; jsontext.IsSafeName(name) && m["type"].Str == "subagent" && (m["status"].Str == "running" || m["status"].Str == "") {
			out = append(out, name)
		}
		return true
	})
	return out
}
