package agent

import (
	"encoding/json"
	"time"
)

// The roles of a message.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"   // the result of a tool call
	RoleSystem    = "system" // a message of the agent's own program
)

// Message is one message of a conversation in a form that is the same for every agent:
// text, tool calls, or a result. It is one line of messages.jsonl.
type Message struct {
	// UUID identifies the message in its session. If one record of an agent holds several
	// messages, all but the first add "#2", "#3", … to the record's UUID.
	UUID       string    `json:"uuid"`
	ParentUUID string    `json:"parent_uuid,omitempty"` // the message before it; "" for a first one
	Timestamp  time.Time `json:"timestamp,omitzero"`    // RFC 3339 with nanoseconds
	Role       string    `json:"role"`
	Content    string    `json:"content"`
	// ToolCalls are the calls in an assistant's message; ToolCallID is the call that a
	// tool's message answers.
	ToolCalls  []ToolUse `json:"tool_calls,omitempty"`
	ToolCallID string    `json:"tool_call_id,omitempty"`
	ToolName   string    `json:"tool_name,omitempty"` // in a tool's message, if known
	IsError    bool      `json:"is_error,omitempty"`  // the tool call failed

	Model string `json:"model,omitempty"` // the model that wrote an assistant's message
	// MessageID is the API's name of the answer that the message is a part of.
	MessageID string `json:"message_id,omitempty"`
	// Usage is the usage that this message adds to the conversation: the sum over all
	// messages counts everything once.
	Usage *TokenUsage `json:"usage,omitempty"`

	AgentID   string `json:"agent_id,omitempty"`  // the subagent of the message
	Sidechain bool   `json:"sidechain,omitempty"` // the message belongs to a subagent's conversation
	// Injected marks a user's message that no person typed: a note of the agent's program,
	// or the summary after a compaction.
	Injected bool `json:"injected,omitempty"`

	// Rewind, if set, makes this a record of a rewind instead of a message.
	Rewind *Rewind `json:"rewind,omitempty"`
}

// Rewind says that the conversation went back to the message To, which became the last; ""
// stands for its beginning.
type Rewind struct {
	To string `json:"to"`
}

// ToolUse is one tool call in an assistant's message.
type ToolUse struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"` // one JSON value
}
