package agent

import (
	"strings"

	"entire/agent/internal/jsontext"
)

// SetPrompt sets what began a turn: a prompt or, if the text is only a notification of the
// agent's program, the continuation of a turn.
func (ev *Event) SetPrompt(text string) {
	if strings.TrimSpace(text) == "" || CleanPrompt(text) != "" {
		ev.Prompt = text
		return
	}
	ev.Type, ev.Ended = TurnContinues, endedTasks(text)
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
		if name = strings.TrimSpace(name); jsontext.IsSafeName(name) {
			out = append(out, name)
		}
		text = after
	}
}

// IsSelfReported reports whether the event is about a subagent but does not name the call that
// started it; the subagent reports itself in its own events.
func (ev Event) IsSelfReported() bool {
	return (ev.Type == TaskStart || ev.Type == TaskEnd) && ev.ToolUseID == "" && (ev.AgentID == "" || ev.ToolName != "")
}
