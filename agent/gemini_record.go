package agent

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"
)

// geminiRecord is one line of a newer Gemini transcript: a message, a change of the
// transcript's metadata, or a step back. Any other line, such as the first, has no
// meaning.
type geminiRecord struct {
	message  geminiMessage
	rewindTo string
	set      []byte // raw
}

// scan parses a line and reports whether it is well formed.
func (r *geminiRecord) scan(line []byte) bool {
	*r = geminiRecord{}
	ok := r.message.scan(line)
	if ok && r.message.kind == "" {
		eachMember(line, func(key, value []byte) {
			switch string(key) {
			case "$rewindTo":
				r.rewindTo = unquote(value)
			case "$set":
				r.set = value
			}
		})
	}
	return ok
}

// saved returns the messages that a change of the metadata repeats.
func (r *geminiRecord) saved() [][]byte {
	var array []byte
	eachMember(r.set, func(key, value []byte) {
		if string(key) == "messages" && at(value, 0) == '[' {
			array = value
		}
	})
	var out [][]byte
	if array != nil {
		for _, p := range elements(array, 1, len(array)-1) {
			out = append(out, bytes.TrimSpace(array[p.from:p.to]))
		}
	}
	return out
}

// geminiMessage is one message. Its raw values point into its text.
type geminiMessage struct {
	id, kind, timestamp, model string

	content, shown, calls, tokens, thoughts []byte // raw, known to be valid JSON
}

// scan parses the text of a message; kind is "" for an object that is not a message.
func (m *geminiMessage) scan(text []byte) bool {
	*m = geminiMessage{}
	ok := eachMember(text, func(key, value []byte) {
		switch string(key) {
		case "id":
			m.id = unquote(value)
		case "type":
			m.kind = unquote(value)
		case "timestamp":
			m.timestamp = unquote(value)
		case "model":
			m.model = unquote(value)
		case "content":
			m.content = value
		case "displayContent":
			m.shown = value
		case "toolCalls":
			m.calls = value
		case "tokens":
			m.tokens = value
		case "thoughts":
			m.thoughts = value
		}
	})
	return ok && gjson.ValidBytes(text)
}

// prompt returns the user's text in this message, "" if the message is not the user's.
func (m *geminiMessage) prompt() string {
	if m.kind != "user" {
		return ""
	}
	if s := CleanPrompt(partText(m.shown)); s != "" {
		return s
	}
	// Gemini appends the files that a prompt names.
	said, _, _ := strings.Cut(partText(m.content), "\n--- Content from referenced files ---")
	return CleanPrompt(said)
}

// answer returns the agent's text in this message.
func (m *geminiMessage) answer() string {
	if m.kind != "gemini" {
		return ""
	}
	return strings.TrimSpace(partText(m.content))
}

// partText returns the text of a message's content: a string, a part, or an array of
// either. It leaves out the model's thoughts.
func partText(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	var texts []string
	take := func(v gjson.Result) {
		if t := v.Get("text"); v.IsObject() && t.Type == gjson.String && v.Get("thought").Type != gjson.True {
			v = t
		}
		if v.Type == gjson.String && v.Str != "" {
			texts = append(texts, valid(v.Str))
		}
	}
	content := gjson.ParseBytes(raw)
	if !content.IsArray() {
		take(content)
	}
	content.ForEach(func(_, part gjson.Result) bool {
		if content.IsArray() {
			take(part)
		}
		return true
	})
	return strings.Join(texts, "\n\n")
}

// usage returns the usage that the message reports, and whether it reports any.
func (m *geminiMessage) usage() (TokenUsage, bool) {
	t := gjson.ParseBytes(m.tokens)
	if m.kind != "gemini" || !t.IsObject() {
		return TokenUsage{}, false
	}
	return TokenUsage{
		InputTokens:     count(t.Get("input")),
		CacheReadTokens: count(t.Get("cached")),
		OutputTokens:    count(t.Get("output")),
		APICallCount:    1,
	}, true
}

// geminiCall is a tool call in a message.
type geminiCall struct {
	id, name, status    string
	ended               string // the end time, as written
	args, result, shown gjson.Result
}

func (m *geminiMessage) eachCall(fn func(geminiCall)) {
	if at(m.calls, 0) != '[' {
		return
	}
	gjson.ParseBytes(m.calls).ForEach(func(_, call gjson.Result) bool {
		fn(geminiCallIn(call))
		return true
	})
}

func geminiCallOf(raw []byte) geminiCall { return geminiCallIn(gjson.ParseBytes(raw)) }

func geminiCallIn(call gjson.Result) geminiCall {
	return geminiCall{
		id: valid(call.Get("id").String()), name: clip(valid(call.Get("name").String()), maxName),
		status: call.Get("status").String(), ended: call.Get("timestamp").String(), args: call.Get("args"),
		result: call.Get("result"), shown: call.Get("resultDisplay"),
	}
}

// edits returns the file that the call writes, "" if it writes none or was refused.
func (c geminiCall) edits() string {
	if c.editing() && c.status != "cancelled" && c.status != "error" {
		return valid(firstText(c.args, "file_path", "path", "filename"))
	}
	return ""
}

// editing reports whether the call is of an editing tool.
func (c geminiCall) editing() bool {
	switch c.name {
	case "write_file", "edit_file", "save_file", "replace":
		return true
	}
	return false
}

// open reports whether the call has no result yet.
func (c geminiCall) open() bool {
	switch c.status {
	case "executing", "scheduled", "validating", "awaiting_approval":
		return true
	}
	return false
}

// line returns the call as text for a person.
func (c geminiCall) line() string {
	detail := firstText(c.args, "command", "description", "file_path", "path", "pattern")
	if detail == "" {
		return c.name
	}
	return c.name + ": " + firstLine(valid(detail))
}
