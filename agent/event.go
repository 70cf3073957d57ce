package agent

import (
	"encoding/json"
	"time"

	"entire/id"
)

// EventType is what happened, in terms that apply to every agent.
type EventType string

// The types of events. A turn lasts from a prompt to the agent's answer; a task is a part
// of a turn that a subagent does.
const (
	SessionStart EventType = "session-start"
	SessionEnd   EventType = "session-end"
	TurnStart    EventType = "turn-start"
	TurnEnd      EventType = "turn-end"
	// TurnContinues means that the agent continues without a new prompt, because its program
	// notified it, for example of the end of a task.
	TurnContinues EventType = "turn-goes-on"
	TaskStart     EventType = "task-start"
	TaskEnd       EventType = "task-end"
	// Todo is a change of the agent's to-do list.
	Todo EventType = "todo"
	// ToolStart and ToolEnd are the start and end of a tool call. They occur where the
	// agent always calls their hooks, or where the settings ask for checkpoints; see ToolHooks.
	ToolStart EventType = "tool-start"
	ToolEnd   EventType = "tool-end"
	// Idle means that the agent has been waiting for a prompt: a turn whose end it did not tell is over.
	Idle EventType = "idle"
	// Said brings only the conversation so far (Lines), in the middle of a turn.
	Said EventType = "said"
)

// Event is one hook call of any agent. A zero field means that the payload did not have
// it. No text in it is redacted.
type Event struct {
	Type EventType
	// Agent is the agent whose hook was called; AgentType is the agent that called it.
	// They differ if one agent runs the hooks of another.
	Agent     AgentName
	AgentType AgentType

	SessionID      id.SessionID // never zero
	TranscriptPath string       // absolute; may not exist yet
	Dir            string       // absolute; the agent's working directory
	Prompt         string       // TurnStart; TurnEnd for an agent that sends it only then
	Answer         string       // TurnEnd: the last answer, if it is needed because the transcript is late or absent; TaskEnd: the subagent's last text
	Files          []string     // TurnEnd: the files that such an agent reports as written
	// Usage is what the turn consumed, from an agent whose transcript does not say (TurnEnd). UsageReport
	// names the report, because it may come twice; "" if the payload does not name it.
	Usage       TokenUsage
	UsageReport string
	// Lines is the whole conversation so far, as the adapter's RecordReader reads it, from an agent
	// whose program keeps no such file; nil if the payload has none. This program keeps the file.
	Lines []byte
	// Partial says that Lines may lack the oldest messages, because the agent's program no longer tells
	// them: what this program has kept of them stays.
	Partial bool
	// Socket is the path of a Unix socket at which the agent's program tells, until the turn's end, what was said in the turn
	// so far (TurnStart, TurnContinues); "" if it opens none.
	Socket string

	ToolUseID    string // TaskStart, TaskEnd (if empty there, AgentID is set), Todo
	ToolName     string
	AgentID      string // the subagent that began or ended (TaskStart, TaskEnd), or the caller
	SubagentType string // TaskStart, TaskEnd
	Description  string // TaskStart, TaskEnd
	ToolInput    json.RawMessage
	Todos        []TodoItem // Todo
	// Launched says that the subagent now works in the background (TaskStart). OwnSession says
	// that it calls hooks like a session of its own, so no tool call names it.
	Launched, OwnSession bool
	// BackgroundTasks are the subagents that work in the background when a turn ends; nil if the
	// payload does not say (TurnEnd). Ended are those that have ended (TurnContinues).
	BackgroundTasks, Ended []string

	// Implied says that the agent may not have told the prompt: the event begins a turn unless one is
	// open (TurnStart, TurnEnd). The transcript has the prompt.
	Implied bool

	// PromptID names the prompt that began the turn, from an agent whose events can overtake each other
	// (TurnStart, TurnEnd): the first event that names it begins the turn.
	PromptID string

	Source           string // SessionStart, TurnStart: startup, resume, user, ...
	Model            string // SessionStart: the model's name, if the agent sends it
	Mode             string // the agent's permission mode, in the agent's word, if it sends it
	Reason           string // SessionEnd
	CheckpointReason string // ToolStart, ToolEnd: why a checkpoint is due, set by the code that decided it

	Time time.Time // when the agent's program told it, or else when the hook began
	// Settled is text that the agent's record of this event has. Until the transcript has that text, the
	// agent has not written there what it did last. "" for an agent that writes before it calls the hook.
	Settled string
	// Warnings name the fields of the payload that were ignored, never their content.
	Warnings []string
}

// TodoItem is one item of the agent's to-do list.
type TodoItem struct {
	Content    string `json:"content"`
	ActiveForm string `json:"activeForm,omitempty"`
	Status     string `json:"status"` // pending, in_progress, completed
}
