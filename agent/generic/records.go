package generic

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/claude"
	"entire/agent/internal/jsontext"
)

// Records implements agent.RecordReader. A line is the JSON form of an agent.Record, which has parts, or
// it has a role (docs/agents.md). Any other line is read like one of Claude Code, whose form many agents
// use.
func (Adapter) Records(text []byte) ([]agent.Record, bool) {
	var l line
	ok := l.scan(text)
	if ok && l.parts {
		var r agent.Record
		if json.Unmarshal(text, &r) == nil {
			return []agent.Record{r}, true
		}
	}
	if ok && l.role != "" && gjson.ValidBytes(text) {
		return []agent.Record{l.record()}, true
	}
	return claude.Adapter{}.Records(text)
}

// Describing implements agent.CallDescriber.
func (Adapter) Describing(tool string) []string { return claude.Adapter{}.Describing(tool) }

// Encode returns a record as a line of a transcript, with a newline.
func Encode(r agent.Record) ([]byte, error) {
	if r.Parts == nil {
		r.Parts = []agent.Part{}
	}
	out, err := json.Marshal(struct {
		agent.Record
		Parts []agent.Part `json:"parts"` // always there: it makes the line one of this form
	}{r, r.Parts})
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

// line is one line of a transcript in this program's own format.
type line struct {
	role, id, model, time, name, command string

	text, content, message, files, usage []byte // raw
	parts                                bool   // it has a list of parts
}

func (l *line) scan(text []byte) bool {
	return jsontext.EachMember(text, func(key, value []byte) {
		switch string(key) {
		case "role":
			l.role = jsontext.Unquote(value)
		case "id":
			l.id = jsontext.Unquote(value)
		case "model":
			l.model = jsontext.Unquote(value)
		case "time":
			l.time = jsontext.Unquote(value)
		case "name":
			l.name = jsontext.Unquote(value)
		case "command":
			l.command = jsontext.Unquote(value)
		case "text":
			l.text = value
		case "content":
			l.content = value
		case "message":
			l.message = value
		case "files":
			l.files = value
		case "usage":
			l.usage = value
		case "parts":
			l.parts = jsontext.At(value, 0) == '['
		}
	})
}

// record returns the line as a record. Several lines may share an ID, which is that of an answer.
func (l *line) record() agent.Record {
	r := agent.Record{ID: l.id, SharesID: true, Time: l.time, Model: l.model, Parts: l.said()}
	switch l.role {
	case "user", "human":
		r.Role, r.Typed = agent.RoleUser, l.typed()
	case "assistant":
		r.Role, r.Answer, r.Partial = agent.RoleAssistant, l.id, true
		if jsontext.At(l.usage, 0) == '{' {
			r.Usage = tokens(l.usage)
		}
	case "tool":
		r.Role = agent.RoleTool
	default:
		r.Role = agent.RoleSystem
	}
	if files := l.wrote(); len(files) > 0 || r.Role == agent.RoleTool {
		call := agent.Call{ToolUse: agent.ToolUse{ID: l.id, Name: l.name}, Command: l.command}
		if l.command != "" {
			call.Input = json.RawMessage(`{"command":` + jsontext.Quote(l.command) + `}`)
		}
		r.Parts = append(r.Parts, agent.Part{Kind: agent.FilesPart, Call: call, Files: files})
	}
	return r
}

// said returns the parts of the line, from its own member or from the form that many agents use.
func (l *line) said() []agent.Part {
	for _, raw := range [][]byte{l.text, l.content, contentOf(l.message)} {
		if parts := claude.Parts(raw); len(parts) > 0 {
			return parts
		}
	}
	return nil
}

func contentOf(message []byte) []byte {
	var content []byte
	jsontext.EachMember(message, func(key, value []byte) {
		if string(key) == "content" {
			content = value
		}
	})
	return content
}

// typed returns what a person typed, in any form of text.
func (l *line) typed() string {
	for _, raw := range [][]byte{l.text, l.content} {
		if s := jsontext.PartText(raw); s != "" {
			return s
		}
	}
	return jsontext.TextOf(gjson.ParseBytes(contentOf(l.message)))
}

// tokens returns the usage that the line reports.
func tokens(usage []byte) *agent.TokenUsage {
	u := gjson.ParseBytes(usage)
	return &agent.TokenUsage{
		InputTokens:         jsontext.TokenCount(u.Get("input_tokens")),
		CacheCreationTokens: jsontext.TokenCount(u.Get("cache_creation_tokens")),
		CacheReadTokens:     jsontext.TokenCount(u.Get("cache_read_tokens")),
		OutputTokens:        jsontext.TokenCount(u.Get("output_tokens")),
		APICallCount:        1,

		CacheCreationHourTokens: jsontext.TokenCount(u.Get("cache_creation_hour_tokens")),
		ReasoningTokens:         jsontext.TokenCount(u.Get("reasoning_tokens")),
	}
}

// wrote returns the files that the line reports as written.
func (l *line) wrote() []string {
	var out []string
	if jsontext.At(l.files, 0) == '[' {
		gjson.ParseBytes(l.files).ForEach(func(_, f gjson.Result) bool {
			if f.Type == gjson.String {
				out = append(out, jsontext.ValidUTF8(f.Str))
			}
			return true
		})
	}
	return out
}
