package conversation

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"entire/agent"
	"entire/session/internal/layout"
)

// LastUsed returns when a session was last appended to or ended.
func LastUsed(m SessionMetadata) time.Time {
	if m.EndedAt != nil && m.EndedAt.After(m.UpdatedAt) {
		return *m.EndedAt
	}
	return m.UpdatedAt
}

// SessionMetadata is what is known of a stored session without opening its messages: the file
// metadata.json. Two documents describe it: one calls the ID `id`, the other `session_id`. Both
// are written, with the same value, and either is read. Unknown fields are kept.
type SessionMetadata struct {
	ID           string    `json:"id"` // written as session_id as well
	ProjectHash  string    `json:"project_hash,omitempty"`
	CWD          string    `json:"cwd"` // absolute; the folder the agent works in
	Model        string    `json:"model"`
	CreatedAt    time.Time `json:"created_at"`
	UpdatedAt    time.Time `json:"updated_at"` // the time of the last message, if there is one
	MessageCount int       `json:"message_count"`
	TurnCount    int       `json:"turn_count"` // number of prompts
	TotalTokens  int       `json:"total_tokens"`
	TotalCostUSD float64   `json:"total_cost_usd,omitempty"` // 0 if unknown
	ExitReason   string    `json:"exit_reason,omitempty"`    // "" until the session ends
	ParentID     string    `json:"parent_id,omitempty"`      // the session that this one is a fork of
	ForkPoint    string    `json:"fork_point,omitempty"`     // the last message that a fork shares with its parent
	AgentName    string    `json:"agent_name,omitempty"`     // the agent, or a subagent's name

	AgentType   agent.AgentType   `json:"agent_type,omitempty"` // the agent that wrote transcript.jsonl; "" for the SDK
	Title       string            `json:"title,omitempty"`      // made from the first prompt that asks for something, or set by the user
	TitleBy     string            `json:"title_by,omitempty"`   // "user" if the user set the title, which then stays
	Tags        []string          `json:"tags,omitempty"`       // set by the user
	Branches    []string          `json:"branches,omitempty"`   // the branches that the agent was on, in this order
	Touched     *Touched          `json:"touched,omitempty"`    // the kinds of files that it changed
	EndedAt     *time.Time        `json:"ended_at,omitempty"`
	Usage       *agent.TokenUsage `json:"usage,omitempty"`        // TotalTokens by kind
	LastMessage string            `json:"last_message,omitempty"` // UUID
	Rewinds     int               `json:"rewinds,omitempty"`      // how often the conversation was rewound
	// Circumstances are the settings that the session last ran under; nil if no agent reported
	// them.
	Circumstances *Circumstances `json:"circumstances,omitempty"`

	Unknown []layout.Field `json:"-"`
	// Counted is how many bytes of messages.jsonl the counts cover: the field counted_bytes. In
	// a file without the field, or with a negative one, the counts may be those of another
	// program; see UpdateCounts.
	Counted int64 `json:"-"`
}

// uncounted is the value of counted if another program made the counts, or none did.
const uncounted = -1

// MarshalJSON writes both names of the ID, and the unknown fields after the known ones.
func (m SessionMetadata) MarshalJSON() ([]byte, error) {
	type plain SessionMetadata
	out, err := json.Marshal(struct {
		SessionID string `json:"session_id"`
		plain
		Counted int64 `json:"counted_bytes"`
	}{m.ID, plain(m), m.Counted})
	if err != nil {
		return nil, err
	}
	return layout.WithFields(out, m.Unknown)
}

// metadataKeys returns the keys of SessionMetadata.
var metadataKeys = sync.OnceValue(func() map[string]bool {
	return layout.KeysOf(reflect.TypeFor[SessionMetadata](), "session_id", "counted_bytes")
})

// UnmarshalJSON reads either name of the ID and keeps unknown fields. On error m is unchanged.
func (m *SessionMetadata) UnmarshalJSON(data []byte) error {
	fields, err := layout.Split(data)
	if err != nil {
		return err
	}
	type plain SessionMetadata
	var read struct {
		SessionID string `json:"session_id"`
		plain
		Counted *int64 `json:"counted_bytes"`
	}
	known, unknown := map[string]json.RawMessage{}, []layout.Field(nil)
	for _, f := range fields {
		if metadataKeys()[f.Key] {
			known[f.Key] = f.Raw // the last of two equal keys wins
		} else {
			unknown = append(unknown, layout.Field{Key: f.Key, Raw: bytes.Clone(f.Raw)})
		}
	}
	if err := json.Unmarshal(layout.Object(known), &read); err != nil {
		return err
	}
	out := SessionMetadata(read.plain)
	if out.ID == "" {
		out.ID = read.SessionID
	}
	out.Counted = uncounted
	if read.Counted != nil && *read.Counted >= 0 {
		out.Counted = *read.Counted
	}
	out.Unknown = unknown
	*m = out
	return nil
}
