package agent

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"
)

// geminiRecord is what one line of a newer Gemini transcript says: a message, a
// change of what the transcript says about itself, or a step back. A line that is
// none of them, such as the first, tells nothing.
type geminiRecord struct {
	message  geminiMessage
	rewindTo string
	set      []byte // raw
}

// scan reports whether the line is well formed.
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

// saved are the messages that a change of the transcript's own data repeats.
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

// geminiMessage is one message. The raw values point into its text.
type geminiMessage struct {
	id, kind, timestamp, model string

	content, shown, calls, tokens, thoughts []byte // raw, known to be valid JSON
}

// scan reads the text of a message; kind is "" for an object that is none.
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

// prompt is what the user said in this message, "" if it is not the user's.
func (m *geminiMessage) prompt() string {
	if m.kind != "user" {
		return ""
	}
	if s := CleanPrompt(partText(m.shown)); s != "" {
		return s
	}
	// The files that a prompt names are put behind it.
	said, _, _ := strings.Cut(partText(m.content), "\n--- Content from referenced files ---")
	return CleanPrompt(said)
}

// answer is what the agent said in this message.
func (m *geminiMessage) answer() string {
	if m.kind != "gemini" {
		return ""
	}
	return strings.TrimSpace(partText(m.content))
}

// partText is the text of a message's content: a string, a part, or an array of
// either. What the model thought is not part of it.
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

// usage is what the message reports, and whether it does.
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

// geminiCall is a tool call of a message.
type geminiCall struct {
	id, name, status    string
	ended               string // when, as written
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

// edits is the file that the call writes, "" if it writes none or was refused.
func (c geminiCall) edits() string {
	if c.editing() && c.status != "cancelled" && c.status != "error" {
		return valid(firstText(c.args, "file_path", "path", "filename"))
	}
	return ""
}

// editing tells the tools that write the file they name.
func (c geminiCall) editing() bool {
	switch c.name {
	case "write_file", "edit_file", "save_file", "replace":
		return true
	}
	return false
}

// open reports whether the call has begun and not ended.
func (c geminiCall) open() bool {
	switch c.status {
	case "executing", "scheduled", "validating", "awaiting_approval":
		return true
	}
	return false
}

// line is the call as a person reads it.
func (c geminiCall) line() string {
	detail := firstText(c.args, "command", "description", "file_path", "path", "pattern")
	if detail == "" {
		return c.name
	}
	return c.name + ": " + firstLine(valid(detail))
}
