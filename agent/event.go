package agent

import (
	"encoding/json"
	"time"

	"entire/id"
)

// EventType says what happened, in terms that hold for every agent.
type EventType string

// The things that happen. A turn is one prompt and the agent's answer to it; a
// task is a piece of a turn given to a subagent.
const (
	SessionStart EventType = "session-start"
	SessionEnd   EventType = "session-end"
	TurnStart    EventType = "turn-start"
	TurnEnd      EventType = "turn-end"
	// TurnGoesOn is the agent at work again without a prompt: its program told it of
	// something, as of the end of a task.
	TurnGoesOn EventType = "turn-goes-on"
	TaskStart  EventType = "task-start"
	TaskEnd    EventType = "task-end"
	// Todo is a change of the agent's list of things to do.
	Todo EventType = "todo"
	// ToolStart and ToolEnd are one call of a tool. They are told where the settings
	// ask for checkpoints there; see ToolHooks.
	ToolStart EventType = "tool-start"
	ToolEnd   EventType = "tool-end"
)

// Event is one hook call of whatever agent. A zero field means the payload did
// not say. None of the text in it is redacted.
type Event struct {
	Type EventType
	// Agent is whose hook was called; AgentType is who called it, which differs
	// where one agent runs the hooks of another.
	Agent     AgentName
	AgentType AgentType

	SessionID      id.SessionID // never zero
	TranscriptPath string       // absolute; may not exist yet
	Dir            string       // absolute; the agent's working directory
	Prompt         string       // TurnStart; TurnEnd, from an agent that says it then
	Answer         string       // TurnEnd, from an agent that keeps no transcript
	Files          []string     // TurnEnd: those that such an agent says it wrote

	ToolUseID    string // TaskStart, TaskEnd (there AgentID is set where it is empty), Todo
	ToolName     string
	AgentID      string // the subagent: the one that began or ended (TaskStart, TaskEnd), or the caller
	SubagentType string // TaskStart, TaskEnd
	Description  string // TaskStart, TaskEnd
	ToolInput    json.RawMessage
	Todos        []TodoItem // Todo
	// Launched says that the subagent works in the background from now on (TaskStart),
	// Alone that it calls hooks as a session of its own does: no call of a tool names it.
	Launched, Alone bool
	// AtWork are the subagents that work in the background as a turn ends, nil where the
	// payload does not say (TurnEnd); Ended those that have ended (TurnGoesOn).
	AtWork, Ended []string

	Source string // SessionStart, TurnStart: startup, resume, user, ...
	Model  string // SessionStart: the model's name, where the agent says it
	Mode   string // what the agent may do without asking, in its own word, where it says it
	Reason string // SessionEnd
	Why    string // ToolStart, ToolEnd: why a checkpoint is due, said by whoever found that

	Time time.Time
	// Warnings name what was ignored in the payload, never its content.
	Warnings []string
}

// TodoItem is one line of the agent's list of things to do.
type TodoItem struct {
	Content    string `json:"content"`
	ActiveForm string `json:"activeForm,omitempty"`
	Status     string `json:"status"` // pending, in_progress, completed
}
