package search

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/mcp"
	"entire/internal/search/lists"
)

// How much of a message is searched: the beginning and, for a tool's answer, also the end, where
// errors are.
const (
	spokenBytes = 64 << 10 // text of a person or the agent
	calledBytes = 8 << 10  // tool calls
	answerHead  = 6 << 10  // a tool's answer
	answerTail  = 2 << 10
)

// A document is one row of the index, before it is split into words.
type document struct {
	number int // number of the message, from 1; 0 for the session itself
	column int
	at     time.Time
	flags  int
	uuid   string
	text   string // the text that is searched and shown
	more   string // an assistant's message: its tool calls
	files  string
}

// The flags of a document. They are stored in the file.
const (
	flagFailed   = 1 << iota // a tool's answer that is an error
	flagRewound              // the message was rewound
	flagSubagent             // from a subagent
	flagRoleAt   = 4         // the column starts at this bit
	flagRoleAll  = 15
)

// message parses a line of messages.jsonl. ok is false if the line is not a message, has no text to search, or
// is an answer of our own server.
func message(line []byte) (d document, ok bool) {
	doc := gjson.ParseBytes(line)
	if !doc.IsObject() {
		return d, false
	}
	var role, content, tool string
	var calls gjson.Result
	injected, rewind := false, false
	doc.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "uuid":
			d.uuid = value.Str
		case "timestamp":
			d.at = value.Time()
		case "role":
			role = value.Str
		case "content":
			content = value.Str
		case "tool_calls":
			calls = value
		case "tool_name":
			tool = value.Str
		case "is_error":
			if value.Type == gjson.True {
				d.flags |= flagFailed
			}
		case "injected":
			injected = value.Type == gjson.True
		case "sidechain":
			if value.Type == gjson.True {
				d.flags |= flagSubagent
			}
		case "rewind":
			rewind = true
		}
		return true
	})
	if rewind || role == agent.RoleTool && (mcp.IsCall(tool) || mcp.IsAnswer(content)) {
		return d, false
	}
	d.column = columnOf(role, injected || role == agent.RoleUser && content != "" && agent.CleanPrompt(content) == "")
	d.text = bounded(d.column, content)
	if calls.IsArray() {
		var more, files strings.Builder
		calls.ForEach(func(_, call gjson.Result) bool {
			addCall(&more, &files, call)
			return more.Len() < calledBytes
		})
		d.more, d.files = more.String(), files.String()
	}
	return d, d.text != "" || d.more != ""
}

func columnOf(role string, injected bool) int {
	switch {
	case role == agent.RoleUser && !injected:
		return lists.ColAsked
	case role == agent.RoleAssistant:
		return lists.ColSaid
	case role == agent.RoleTool:
		return lists.ColGot
	}
	return lists.ColNoted
}

// bounded returns the part of a text that is searched.
func bounded(column int, text string) string {
	if column != lists.ColGot {
		return strings.ToValidUTF8(agent.Clip(text, spokenBytes), "\uFFFD")
	}
	if len(text) > answerHead+answerTail {
		tail := text[len(text)-answerTail:]
		for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
			tail = tail[1:]
		}
		text = agent.Clip(text, answerHead) + "\n…\n" + tail
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// addCall adds a tool's name, all texts of its input, and the files it names. What an agent asked our own
// server repeats what was said before, as the answers do, and is left out.
func addCall(more, files *strings.Builder, call gjson.Result) {
	if mcp.IsCall(call.Get("name").Str) {
		return
	}
	if more.Len() > 0 {
		more.WriteByte('\n')
	}
	more.WriteString(call.Get("name").Str)
	more.WriteByte(':')
	call.Get("input").ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "file_path", "notebook_path", "path", "absolute_path":
			files.WriteString(value.Str)
			files.WriteByte('\n')
		}
		addTexts(more, value)
		return more.Len() < calledBytes
	})
}

// addTexts adds every string in a JSON value.
func addTexts(out *strings.Builder, v gjson.Result) {
	switch {
	case v.Type == gjson.String:
		out.WriteByte(' ')
		out.WriteString(strings.ToValidUTF8(agent.Clip(v.Str, max(calledBytes-out.Len(), 0)), "\uFFFD"))
	case v.IsObject() || v.IsArray():
		v.ForEach(func(_, item gjson.Result) bool {
			addTexts(out, item)
			return out.Len() < calledBytes
		})
	}
}
