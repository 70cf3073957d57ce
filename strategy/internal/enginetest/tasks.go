package enginetest

import (
	"encoding/json"

	"entire/agent"
)

func (w *World) Task(kind agent.EventType, sid, use string, fill func(*agent.Event)) {
	w.T.Helper()
	w.Event(kind, sid, func(ev *agent.Event) {
		ev.ToolUseID, ev.ToolName = use, "Task"
		if fill != nil {
			fill(ev)
		}
	})
}

func (w *World) Todo(sid, use, done string) {
	w.T.Helper()
	w.Event(agent.Todo, sid, func(ev *agent.Event) {
		ev.ToolUseID, ev.ToolName = use, "TodoWrite"
		ev.ToolInput = json.RawMessage(`{"todos":[]}`)
		ev.Todos = []agent.TodoItem{{Content: done, Status: "completed"}}
	})
}

func (w *World) Overlay(ref string) string {
	w.T.Helper()
	return w.Git("ls-tree", "-r", "--name-only", ref, ".entire/")
}
