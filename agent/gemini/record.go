package gemini

import (
	"bytes"
	"hash/fnv"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// Record is one line of a newer Gemini transcript: a message, a change of the
// transcript's metadata, or a step back. Any other line, such as the first, has no
// meaning.
type Record struct {
	Message  Message
	RewindTo string
	Set      []byte // raw
}

// Scan parses a line and reports whether it is well formed.
func (r *Record) Scan(line []byte) bool {
	*r = Record{}
	ok := r.Message.Scan(line)
	if ok && r.Message.Kind == "" {
		jsontext.EachMember(line, func(key, value []byte) {
			switch string(key) {
			case "$rewindTo":
				r.RewindTo = jsontext.Unquote(value)
			case "$set":
				r.Set = value
			}
		})
	}
	return ok
}

// Saved returns the messages that a change of the metadata repeats.
func (r *Record) Saved() [][]byte {
	var array []byte
	jsontext.EachMember(r.Set, func(key, value []byte) {
		if string(key) == "messages" && jsontext.At(value, 0) == '[' {
			array = value
		}
	})
	var out [][]byte
	if array != nil {
		for _, p := range jsontext.Elements(array, 1, len(array)-1) {
			out = append(out, bytes.TrimSpace(array[p.From:p.To]))
		}
	}
	return out
}

// Message is one message. Its raw values point into its text.
type Message struct {
	ID, Kind, Timestamp, Model string

	Content, shown, Calls, tokens, Thoughts []byte // raw, known to be valid JSON
}

// Scan parses the text of a message; kind is "" for an object that is not a message.
func (m *Message) Scan(text []byte) bool {
	*m = Message{}
	ok := jsontext.EachMember(text, func(key, value []byte) {
		switch string(key) {
		case "id":
			m.ID = jsontext.Unquote(value)
		case "type":
			m.Kind = jsontext.Unquote(value)
		case "timestamp":
			m.Timestamp = jsontext.Unquote(value)
		case "model":
			m.Model = jsontext.Unquote(value)
		case "content":
			m.Content = value
		case "displayContent":
			m.shown = value
		case "toolCalls":
			m.Calls = value
		case "tokens":
			m.tokens = value
		case "thoughts":
			m.Thoughts = value
		}
	})
	return ok && gjson.ValidBytes(text)
}

// Prompt returns the user's text in this message, "" if the message is not the user's.
func (m *Message) Prompt() string {
	if m.Kind != "user" {
		return ""
	}
	if s := agent.CleanPrompt(jsontext.PartText(m.shown)); s != "" {
		return s
	}
	// Gemini appends the files that a prompt names.
	said, _, _ := strings.Cut(jsontext.PartText(m.Content), "\n--- Content from referenced files ---")
	return agent.CleanPrompt(said)
}

// Answer returns the agent's text in this message.
func (m *Message) Answer() string {
	if m.Kind != "gemini" {
		return ""
	}
	return strings.TrimSpace(jsontext.PartText(m.Content))
}

// Usage returns the usage that the message reports, and whether it reports any.
func (m *Message) Usage() (agent.TokenUsage, bool) {
	t := gjson.ParseBytes(m.tokens)
	if m.Kind != "gemini" || !t.IsObject() {
		return agent.TokenUsage{}, false
	}
	cached := jsontext.TokenCount(t.Get("cached"))
	return agent.TokenUsage{
		InputTokens:     max(jsontext.TokenCount(t.Get("input"))+jsontext.TokenCount(t.Get("tool"))-cached, 0),
		CacheReadTokens: cached,
		OutputTokens:    jsontext.TokenCount(t.Get("output")) + jsontext.TokenCount(t.Get("thoughts")),
		APICallCount:    1,
	}, true
}

// Call is a tool call in a message.
type Call struct {
	ID, Name, status    string
	Ended               string // the end time, as written
	AgentID             string // the subagent that the call started
	Args, result, shown gjson.Result
}

func (m *Message) EachCall(fn func(Call)) {
	if jsontext.At(m.Calls, 0) != '[' {
		return
	}
	gjson.ParseBytes(m.Calls).ForEach(func(_, call gjson.Result) bool {
		fn(CallIn(call))
		return true
	})
}

func CallOf(raw []byte) Call { return CallIn(gjson.ParseBytes(raw)) }

func CallIn(call gjson.Result) Call {
	return Call{
		ID: jsontext.ValidUTF8(call.Get("id").String()), Name: agent.Clip(jsontext.ValidUTF8(call.Get("name").String()), agent.MaxName),
		status: call.Get("status").String(), Ended: call.Get("timestamp").String(), Args: call.Get("args"),
		AgentID: safeName(call.Get("agentId")),
		result:  call.Get("result"), shown: call.Get("resultDisplay"),
	}
}

func safeName(v gjson.Result) string {
	if v.Type == gjson.String && jsontext.IsSafeName(v.Str) {
		return v.Str
	}
	return ""
}

// Edits returns the file that the call writes, "" if it writes none or was refused.
func (c Call) Edits() string {
	if c.Editing() && c.status != "cancelled" && c.status != "error" {
		return jsontext.ValidUTF8(agent.FirstString(c.Args, "file_path", "path", "filename"))
	}
	return ""
}

// Editing reports whether the call is of an editing tool.
func (c Call) Editing() bool {
	switch c.Name {
	case "write_file", "edit_file", "save_file", "replace":
		return true
	}
	return false
}

// Open reports whether the call has no result yet.
func (c Call) Open() bool {
	switch c.status {
	case "executing", "scheduled", "validating", "awaiting_approval":
		return true
	}
	return false
}

// Line returns the call as text for a person.
func (c Call) Line() string {
	detail := agent.FirstString(c.Args, "command", "description", "file_path", "path", "pattern")
	if detail == "" {
		return c.Name
	}
	return c.Name + ": " + jsontext.FirstLine(jsontext.ValidUTF8(detail))
}

func MessageKey(messageID string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(messageID))
	return h.Sum64()
}
