package conversation

import (
	"encoding/json"
	"errors"

	"entire/agent"
)

// Message is one message of a conversation, one line of messages.jsonl.
type Message = agent.Message

// MessageEntry is Message: the documents that define this package use both names.
type MessageEntry = Message

// SDKMessage is one record of an agent's own stream, one line of transcript.jsonl: any JSON
// value. When it is stored, a newline inside it becomes a space; every other byte stays.
type SDKMessage = json.RawMessage

// ErrNoMessage is returned if a session has no message of that ID.
var ErrNoMessage = errors.New("no such message")
