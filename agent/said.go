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
	RoleSystem    = "system" // a word of the agent's own program
)

// Message is one message of a conversation in a form that holds for every
// agent: what was said, which tools were called, what they answered. It is one
// line of messages.jsonl.
type Message struct {
	// UUID names the message; it is unique in its session. Where one record of
	// an agent holds several messages, all but the first have "#2", "#3", …
	// after the record's own.
	UUID       string    `json:"uuid"`
	ParentUUID string    `json:"parent_uuid,omitempty"` // the message it answers or follows; "" for a first one
	Timestamp  time.Time `json:"timestamp,omitzero"`    // RFC 3339 with nanoseconds
	Role       string    `json:"role"`
	Content    string    `json:"content"`
	// ToolCalls are the tools an assistant's message calls; ToolCallID is the
	// call that a tool's message answers.
	ToolCalls  []ToolUse `json:"tool_calls,omitempty"`
	ToolCallID string    `json:"tool_call_id,omitempty"`
	ToolName   string    `json:"tool_name,omitempty"` // of a tool's message, where known
	IsError    bool      `json:"is_error,omitempty"`  // the tool failed

	Model string `json:"model,omitempty"` // that wrote an assistant's message
	// MessageID is the API's name of the answer that the message is a piece of.
	MessageID string `json:"message_id,omitempty"`
	// Usage is what this message adds to what the conversation has used: its sum
	// over all messages counts everything once.
	Usage *TokenUsage `json:"usage,omitempty"`

	AgentID   string `json:"agent_id,omitempty"`  // the subagent it belongs to
	Sidechain bool   `json:"sidechain,omitempty"` // it is part of a subagent's conversation
	// Injected marks a user's message that nobody typed: a note of the agent's
	// program, a summary of what was compacted.
	Injected bool `json:"injected,omitempty"`

	// Rewind makes this no message but a record: the conversation was taken back.
	Rewind *Rewind `json:"rewind,omitempty"`
}

// Rewind says that from here on a conversation is what it was when the message To
// was its last; "" for one in which nothing had been said.
type Rewind struct {
	To string `json:"to"`
}

// ToolUse is one call of a tool as an assistant's message has it.
type ToolUse struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"` // one JSON value
}
