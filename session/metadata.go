package session

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"entire/agent"
)

// SessionMetadata is what is known of a stored session without opening its
// messages: the file metadata.json. Two documents describe it: one calls the ID
// `id`, the other `session_id`. Both are written, with the same value, and either
// is read. Fields that are not known are kept.
type SessionMetadata struct {
	ID           string    `json:"id"` // written as session_id as well
	ProjectHash  string    `json:"project_hash,omitempty"`
	CWD          string    `json:"cwd"` // absolute; the folder the agent works in
	Model        string    `json:"model"`
	CreatedAt    time.Time `json:"created_at"`
	UpdatedAt    time.Time `json:"updated_at"` // of the last message, once there is one
	MessageCount int       `json:"message_count"`
	TurnCount    int       `json:"turn_count"` // of prompts
	TotalTokens  int       `json:"total_tokens"`
	TotalCostUSD float64   `json:"total_cost_usd,omitempty"` // 0 where it is not known
	ExitReason   string    `json:"exit_reason,omitempty"`    // "" while it goes on
	ParentID     string    `json:"parent_id,omitempty"`      // of a fork: the session it came from
	ForkPoint    string    `json:"fork_point,omitempty"`     // of a fork: its last message in common
	AgentName    string    `json:"agent_name,omitempty"`     // the agent, or a subagent's name

	AgentType   agent.AgentType   `json:"agent_type,omitempty"` // whose transcript.jsonl it is; "" for the SDK's
	Title       string            `json:"title,omitempty"`      // of the first prompt that asks for something, or the user's
	TitleBy     string            `json:"title_by,omitempty"`   // "user": it is the user's, and stays
	Tags        []string          `json:"tags,omitempty"`       // the user's
	Branches    []string          `json:"branches,omitempty"`   // that the agent was on, in this order
	Touched     *Touched          `json:"touched,omitempty"`    // the kinds of files it changed
	EndedAt     *time.Time        `json:"ended_at,omitempty"`
	Usage       *agent.TokenUsage `json:"usage,omitempty"`        // TotalTokens by kind
	LastMessage string            `json:"last_message,omitempty"` // UUID
	Rewinds     int               `json:"rewinds,omitempty"`      // how often it was taken back
	// Circumstances are what it ran under when it was last heard of; nil where nobody
	// told.
	Circumstances *Circumstances `json:"circumstances,omitempty"`

	unknown []field
	// counted is how many bytes of messages.jsonl the counts cover: the field
	// counted_bytes. Those of a file without it, or where it is negative, are
	// anybody's; see catchUp.
	counted int64
}

// uncounted says that the counts were made by somebody else, or not at all.
const uncounted = -1

// MarshalJSON writes both names of the ID, and after the known fields those that
// were read and are not known.
func (m SessionMetadata) MarshalJSON() ([]byte, error) {
	type plain SessionMetadata
	out, err := json.Marshal(struct {
		SessionID string `json:"session_id"`
		plain
		Counted int64 `json:"counted_bytes"`
	}{m.ID, plain(m), m.counted})
	if err != nil {
		return nil, err
	}
	return withFields(out, m.unknown)
}

// metadataKeys are the keys of SessionMetadata.
var metadataKeys = sync.OnceValue(func() map[string]bool {
	return keysOf(reflect.TypeFor[SessionMetadata](), "session_id", "counted_bytes")
})

// UnmarshalJSON reads either name of the ID and keeps the fields it does not
// know. On error m is unchanged.
func (m *SessionMetadata) UnmarshalJSON(data []byte) error {
	fields, err := split(data)
	if err != nil {
		return err
	}
	type plain SessionMetadata
	var read struct {
		SessionID string `json:"session_id"`
		plain
		Counted *int64 `json:"counted_bytes"`
	}
	known, unknown := map[string]json.RawMessage{}, []field(nil)
	for _, f := range fields {
		if metadataKeys()[f.key] {
			known[f.key] = f.raw // of two equal keys the last counts
		} else {
			unknown = append(unknown, field{f.key, bytes.Clone(f.raw)})
		}
	}
	if err := json.Unmarshal(object(known), &read); err != nil {
		return err
	}
	out := SessionMetadata(read.plain)
	if out.ID == "" {
		out.ID = read.SessionID
	}
	out.counted = uncounted
	if read.Counted != nil && *read.Counted >= 0 {
		out.counted = *read.Counted
	}
	out.unknown = unknown
	*m = out
	return nil
}
