package claude

import (
	"fmt"
	"time"

	"entire/agent"
	"entire/agent/internal/payload"
)

// claudeVerbs are the verbs that Claude Code's hooks pass to this program.
var claudeVerbs = []struct {
	verb string
	is   agent.EventType
}{
	{"session-start", agent.SessionStart},
	{"user-prompt-submit", agent.TurnStart},
	{"stop", agent.TurnEnd},
	{"session-end", agent.SessionEnd},
	{"pre-task", agent.TaskStart},
	{"post-task", agent.TaskEnd},
	{"post-todo", agent.Todo},
	{"pre-tool", agent.ToolStart},
	{"post-tool", agent.ToolEnd},
	{"subagent-start", agent.TaskStart},
	{"subagent-stop", agent.TaskEnd},
}

// Verbs implements Agent.
func (Adapter) Verbs() []string {
	out := make([]string, len(claudeVerbs))
	for i, v := range claudeVerbs {
		out[i] = v.verb
	}
	return out
}

func ClaudeEvent(verb string) (agent.EventType, bool) {
	for _, v := range claudeVerbs {
		if v.verb == verb {
			return v.is, true
		}
	}
	return "", false
}

// Decode implements Agent. Other agents run Claude Code's hooks, too, so the payload
// decides which agent calls.
func (c Adapter) Decode(verb string, data []byte, now time.Time) (agent.Event, error) {
	what, ok := ClaudeEvent(verb)
	if !ok {
		return agent.Event{}, fmt.Errorf("%w %q for %s", agent.ErrUnknownVerb, payload.Excerpt(verb), c.Name())
	}
	p, err := payload.Parse(data)
	if err != nil {
		return agent.Event{}, fmt.Errorf("parse hook input for %s: %w", verb, err)
	}
	ev, err := c.event(what, p)
	if err != nil {
		return agent.Event{}, fmt.Errorf("parse hook input for %s: %w", verb, err)
	}
	if ev.IsSelfReported() {
		return agent.Event{}, nil // the subagent reports itself
	}
	ev.Time, ev.Warnings = now, p.Warnings
	return ev, nil
}

func (c Adapter) event(what agent.EventType, p *payload.Payload) (agent.Event, error) {
	ev := agent.Event{Type: what, Agent: c.Name(), Dir: p.Dir()}
	ev.TranscriptPath = p.Path(ev.Dir, "transcript_path", "transcriptPath")
	ev.AgentType = p.Caller(ev.TranscriptPath, c.Type())
	var err error
	if ev.SessionID, err = p.Session(ev.TranscriptPath, c.sessionOf); err != nil {
		return agent.Event{}, err
	}
	agentID, name := p.Find("agent_id", "agentId")
	ev.AgentID = p.Word(agentID, name)
	ev.Mode = p.Mode()
	if err = p.TurnIntoTask(&ev); err != nil {
		return agent.Event{}, err
	}
	switch ev.Type {
	case agent.SessionStart:
		ev.Source, ev.Model = p.Text("source"), p.Text("model")
	case agent.TurnStart:
		ev.Source = p.Text("source")
		ev.SetPrompt(p.Prompt())
	case agent.TurnEnd:
		ev.BackgroundTasks = p.BackgroundTasks()
	case agent.SessionEnd:
		ev.Reason = p.Text("reason")
	case agent.TaskStart, agent.TaskEnd, agent.Todo, agent.ToolStart, agent.ToolEnd:
		err = p.Tool(&ev)
	}
	if ev.Type == agent.TurnEnd || ev.Type == agent.TaskEnd {
		ev.Answer = p.Text("last_assistant_message")
	}
	return ev, err
}
