package enginetest

import (
	"entire/agent"
)

// Tool tells of a call for which somebody has found a reason.
func (w *World) Tool(sid, why string) {
	w.Event(agent.ToolStart, sid, func(ev *agent.Event) { ev.Why, ev.ToolName = why, "Bash" })
}
