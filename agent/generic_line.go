package agent

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// genericLine is one line of a transcript in this program's own format, see
// docs/agents.md. The raw values point into the line.
type genericLine struct {
	role, id, model, time, name, command string

	text, content, message, files, usage []byte // raw, known to be valid JSON
}

// scan parses a line and reports whether it has that format.
func (l *genericLine) scan(line []byte) bool {
	*l = genericLine{}
	ok := eachMember(line, func(key, value []byte) {
		switch string(key) {
		case "role":
			l.role = unquote(value)
		case "id":
			l.id = unquote(value)
		case "model":
			l.model = unquote(value)
		case "time":
			l.time = unquote(value)
		case "name":
			l.name = unquote(value)
		case "command":
			l.command = unquote(value)
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
		}
	})
	return ok && l.role != "" && gjson.ValidBytes(line)
}

// said returns the line's text, from its own member or from the form that many agents use.
func (l *genericLine) said() string {
	for _, raw := range [][]byte{l.text, l.content} {
		if len(raw) > 0 {
			if s := partText(raw); s != "" {
				return s
			}
		}
	}
	if len(l.message) == 0 {
		return ""
	}
	return textOf(gjson.ParseBytes(l.message).Get("content"))
}

func (l *genericLine) prompt() string {
	if l.role != "user" {
		return ""
	}
	return CleanPrompt(l.said())
}

// tokens returns the usage that the line reports.
func (l *genericLine) tokens() TokenUsage {
	u := gjson.ParseBytes(l.usage)
	return TokenUsage{
		InputTokens:         count(u.Get("input_tokens")),
		CacheCreationTokens: count(u.Get("cache_creation_tokens")),
		CacheReadTokens:     count(u.Get("cache_read_tokens")),
		OutputTokens:        count(u.Get("output_tokens")),
		APICallCount:        1,
	}
}

// wrote returns the files that the line reports as written.
func (l *genericLine) wrote() []string {
	var out []string
	if at(l.files, 0) == '[' {
		gjson.ParseBytes(l.files).ForEach(func(_, f gjson.Result) bool {
			if f.Type == gjson.String {
				out = append(out, valid(f.Str))
			}
			return true
		})
	}
	return out
}

// line returns a tool's call as text for a person.
func (l *genericLine) line() string {
	detail := l.command
	if files := l.wrote(); detail == "" && len(files) > 0 {
		detail = files[0]
	}
	if detail == "" {
		return l.name
	}
	return l.name + ": " + detail
}

// addGeneric adds a line in this program's own format.
func (c *Conversation) addGeneric(l *genericLine) {
	setIf(&c.LastUUID, clip(l.id, maxName))
	setIf(&c.LastTime, clip(l.time, maxName))
	if p := l.prompt(); p != "" {
		c.Prompts = append(c.Prompts, clip(p, maxPrompt))
		c.OpenCalls = nil
	}
	for _, f := range l.wrote() {
		c.addEdit(f)
	}
	if l.role != "assistant" {
		return
	}
	setIf(&c.Model, clip(l.model, maxName))
	setIf(&c.LastAssistant, clip(CleanPrompt(l.said()), maxAnswer))
	if at(l.usage, 0) == '{' {
		name := l.id
		if name == "" {
			name = "line " + strconv.Itoa(c.Lines)
		}
		c.addUsage(clip(name, maxName), l.tokens())
	}
}
