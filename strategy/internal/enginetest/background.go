package enginetest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"entire/agent"
	"entire/strategy/sessionstate"
)

// Launch begins a subagent in the background, in the order of Claude Code's events.
func (w *World) Launch(sid, use, aid string) {
	w.T.Helper()
	w.Task(agent.TaskStart, sid, use, func(ev *agent.Event) { ev.SubagentType, ev.Description = "general-purpose", "Write "+aid })
	w.Event(agent.TaskStart, sid, func(ev *agent.Event) { ev.AgentID, ev.SubagentType = aid, "general-purpose" })
	w.Result(sid, use, aid)
	w.Task(agent.TaskStart, sid, use, func(ev *agent.Event) {
		ev.AgentID, ev.SubagentType, ev.Description, ev.Launched = aid, "general-purpose", "Write "+aid, true
	})
}

// SubagentWrites has a subagent write a file with a call of its own, below a prompt that
// stands in its transcript from the start.
func (w *World) SubagentWrites(sid, aid, path, text string) {
	w.T.Helper()
	w.SubagentCalls(sid, aid, "Write", map[string]any{"file_path": filepath.Join(w.Dir, path), "content": text})
	w.Write(path, text)
}

func (w *World) SubagentCalls(sid, aid, tool string, input map[string]any) {
	w.T.Helper()
	file := filepath.Join(filepath.Dir(w.Transcript(sid)), sid, "subagents", "agent-"+aid+".jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.T.Fatal(err)
	}
	had, _ := os.ReadFile(file)
	use := fmt.Sprintf("toolu_%s_%d", aid, strings.Count(string(had), "\n"))
	call, _ := json.Marshal(map[string]any{"type": "tool_use", "id": use, "name": tool, "input": input})
	line := fmt.Sprintf(`{"type":"assistant","uuid":"%[1]s","requestId":"r","isSidechain":true,"agentId":"%[2]s","message":{"id":"m%[1]s","role":"assistant","model":"claude-x","content":[%[3]s]}}
{"type":"user","uuid":"r%[1]s","isSidechain":true,"agentId":"%[2]s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"%[1]s","content":"ok"}]}}
`, use, aid, call)
	if err := os.WriteFile(file, append(had, line...), 0o600); err != nil {
		w.T.Fatal(err)
	}
}

// StopBeside ends the main conversation's turn while subagents work.
func (w *World) StopBeside(sid string, running ...string) {
	w.T.Helper()
	w.Say(sid, "assistant", "they are at work")
	w.Event(agent.TurnEnd, sid, func(ev *agent.Event) { ev.AtWork = append([]string{}, running...) })
}

func (w *World) SubagentStop(sid, aid string) {
	w.T.Helper()
	w.Event(agent.TaskEnd, sid, func(ev *agent.Event) { ev.AgentID, ev.SubagentType = aid, "general-purpose" })
}

// Notified is the agent's program telling it that a subagent has ended, and the answer.
func (w *World) Notified(sid, use, aid string) {
	w.T.Helper()
	text := "<task-notification>\n<task-id>" + aid + "</task-id>\n<tool-use-id>" + use + "</tool-use-id>\n<status>completed</status>\n</task-notification>"
	w.Event(agent.TurnGoesOn, sid, func(ev *agent.Event) { ev.Ended = []string{aid} })
	w.Say(sid, "user", text)
	w.StopBeside(sid)
}

func (w *World) Turns(sid string) int {
	w.T.Helper()
	o := &sessionstate.LockedSession{ID: SessionID(w.T, sid)}
	if err := w.Engine().ReadSession(w.Ctx, o); err != nil {
		w.T.Fatal(err)
	}
	return o.Engine.TurnNumber
}
