package generic

import (
	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// Line is one line of a transcript in this program's own format, see
// docs/agents.md. The raw values point into the line.
type Line struct {
	Role, ID, Model, Time, Name, Command string

	Text, Content, Message, files, Usage []byte // raw, known to be valid JSON
}

// Scan parses a line and reports whether it has that format.
func (l *Line) Scan(line []byte) bool {
	*l = Line{}
	ok := jsontext.EachMember(line, func(key, value []byte) {
		switch string(key) {
		case "role":
			l.Role = jsontext.Unquote(value)
		case "id":
			l.ID = jsontext.Unquote(value)
		case "model":
			l.Model = jsontext.Unquote(value)
		case "time":
			l.Time = jsontext.Unquote(value)
		case "name":
			l.Name = jsontext.Unquote(value)
		case "command":
			l.Command = jsontext.Unquote(value)
		case "text":
			l.Text = value
		case "content":
			l.Content = value
		case "message":
			l.Message = value
		case "files":
			l.files = value
		case "usage":
			l.Usage = value
		}
	})
	return ok && l.Role != "" && gjson.ValidBytes(line)
}

// Said returns the line's text, from its own member or from the form that many agents use.
func (l *Line) Said() string {
	for _, raw := range [][]byte{l.Text, l.Content} {
		if len(raw) > 0 {
			if s := jsontext.PartText(raw); s != "" {
				return s
			}
		}
	}
	if len(l.Message) == 0 {
		return ""
	}
	return jsontext.TextOf(gjson.ParseBytes(l.Message).Get("content"))
}

func (l *Line) Prompt() string {
	if l.Role != "user" {
		return ""
	}
	return agent.CleanPrompt(l.Said())
}

// Tokens returns the usage that the line reports.
func (l *Line) Tokens() agent.TokenUsage {
	u := gjson.ParseBytes(l.Usage)
	return agent.TokenUsage{
		InputTokens:         jsontext.TokenCount(u.Get("input_tokens")),
		CacheCreationTokens: jsontext.TokenCount(u.Get("cache_creation_tokens")),
		CacheReadTokens:     jsontext.TokenCount(u.Get("cache_read_tokens")),
		OutputTokens:        jsontext.TokenCount(u.Get("output_tokens")),
		APICallCount:        1,
	}
}

// Wrote returns the files that the line reports as written.
func (l *Line) Wrote() []string {
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

// Line returns a tool's call as text for a person.
func (l *Line) Line() string {
	detail := l.Command
	if files := l.Wrote(); detail == "" && len(files) > 0 {
		detail = files[0]
	}
	if detail == "" {
		return l.Name
	}
	return l.Name + ": " + detail
}
