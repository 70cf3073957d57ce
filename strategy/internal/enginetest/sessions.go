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

// SubagentSays appends a text of a subagent's to its transcript.
func (w *World) SubagentSays(sid, aid, text string) {
	w.T.Helper()
	file, err := os.OpenFile(filepath.Join(filepath.Dir(w.Transcript(sid)), sid, "subagents", "agent-"+aid+".jsonl"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		w.T.Fatal(err)
	}
	defer file.Close()
	if _, err := fmt.Fprintf(file, `{"type":"assistant","uuid":"said-%[1]s","requestId":"r","isSidechain":true,"agentId":"%[1]s","message":{"id":"ms%[1]s","role":"assistant","model":"claude-x","content":[{"type":"text","text":%[2]q}]}}`+"\n", aid, text); err != nil {
		w.T.Fatal(err)
	}
}

// StopBeside ends the main conversation's turn while subagents work.
func (w *World) StopBeside(sid string, running ...string) {
	w.T.Helper()
	w.Say(sid, "assistant", "they are at work")
	w.Event(agent.TurnEnd, sid, func(ev *agent.Event) { ev.BackgroundTasks = append([]string{}, running...) })
}

func (w *World) SubagentStop(sid, aid string) {
	w.T.Helper()
	w.Event(agent.TaskEnd, sid, func(ev *agent.Event) { ev.AgentID, ev.SubagentType = aid, "general-purpose" })
}

// Notified is the agent's program telling it that a subagent has ended, and the answer.
func (w *World) Notified(sid, use, aid string) {
	w.T.Helper()
	text := "<task-notification>\n<task-id>" + aid + "</task-id>\n<tool-use-id>" + use + "</tool-use-id>\n<status>completed</status>\n</task-notification>"
	w.Event(agent.TurnContinues, sid, func(ev *agent.Event) { ev.Ended = []string{aid} })
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

// Wrote adds the record of an edit tool to a transcript.
func (w *World) Wrote(sid, path string) {
	w.T.Helper()
	w.Line(sid, fmt.Sprintf(`{"type":"assistant","uuid":"e-%s","message":{"id":"m-%s","role":"assistant","content":[{"type":"tool_use","id":"t-%s","name":"Write","input":{"file_path":%q,"content":"x"}}]}}`,
		path, path, path, w.Path(path)))
	w.Line(sid, fmt.Sprintf(`{"type":"user","uuid":"r-%s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t-%s","content":"ok"}]}}`, path, path))
}

// Line appends a raw line to a transcript.
func (w *World) Line(sid, text string) {
	w.T.Helper()
	f, err := os.OpenFile(w.Transcript(sid), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		w.T.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text + "\n"); err != nil {
		w.T.Fatal(err)
	}
}

// CommitUnhooked is a commit by a git that knows nothing of us.
func (w *World) CommitUnhooked(paths ...string) {
	w.T.Helper()
	w.Git(append([]string{"-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "unhooked"}, paths...)...)
}

// Subagent writes a subagent's transcript of some messages, each of 5 tokens in
// and 7 out.
func (w *World) Subagent(sid, aid string, messages int) {
	w.T.Helper()
	path := filepath.Join(filepath.Dir(w.Transcript(sid)), sid, "subagents", "agent-"+aid+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.T.Fatal(err)
	}
	var b strings.Builder
	for i := range messages {
		fmt.Fprintf(&b, `{"type":"assistant","message":{"id":"%s-%d","role":"assistant","content":"x","usage":{"input_tokens":5,"output_tokens":7}}}`+"\n", aid, i)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		w.T.Fatal(err)
	}
}

// Result is the line in which the agent learns what a subagent has to say.
func (w *World) Result(sid, use, aid string) {
	w.T.Helper()
	w.Line(sid, fmt.Sprintf(`{"type":"user","uuid":"r-%s","toolUseResult":{"agentId":"%s"},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":"agentId: %s"}]}}`, use, aid, use, aid))
}

// Spends is an answer of the agent's own, of 100 tokens out.
func (w *World) Spends(sid, message string) {
	w.T.Helper()
	w.Line(sid, fmt.Sprintf(`{"type":"assistant","uuid":"a-%s","message":{"id":"%s","role":"assistant","content":"x","usage":{"input_tokens":1,"output_tokens":100}}}`, message, message))
}

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
