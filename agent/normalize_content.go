package agent

import (
	"bytes"
	"encoding/json"
	"strings"
)

// content is the parsed content of a message.
type content struct {
	texts   []string
	calls   []ToolUse
	results []toolResult
	typed   bool // some of it is neither text nor a tool's block
}

type toolResult struct {
	callID, text string
	isError      bool
}

func (c *content) text() string { return strings.Join(c.texts, "\n\n") }

// eachBlock calls fn with each block of a raw content that is an array of them.
func eachBlock(raw []byte, fn func(b *block)) {
	if at(raw, 0) != '[' {
		return
	}
	for _, p := range elements(raw, 1, len(raw)-1) {
		var b block
		if element := bytes.TrimSpace(raw[p.from:p.to]); at(element, 0) == '"' {
			fn(&block{text: element})
		} else if eachMember(element, b.take) {
			fn(&b)
		}
	}
}

// contentOf parses the raw content of a message, which must be valid JSON: a string, or an
// array of blocks. It replaces blocks of unknown kinds with a placeholder.
func contentOf(raw []byte) content {
	var c content
	if at(raw, 0) == '"' {
		c.addText(raw)
	}
	eachBlock(raw, c.add)
	return c
}

func (c *content) addText(raw []byte) {
	if s := unquote(raw); s != "" {
		c.texts = append(c.texts, s)
	}
}

// block is one block of a message's content; its members are raw.
type block struct {
	kind                                           string
	id, name, input, text, callID, content, failed []byte
	thinking                                       []byte
}

func (b *block) take(key, value []byte) {
	switch string(key) {
	case "type":
		b.kind = unquote(value)
	case "id":
		b.id = value
	case "name":
		b.name = value
	case "input":
		b.input = value
	case "text":
		b.text = value
	case "thinking":
		b.thinking = value
	case "tool_use_id":
		b.callID = value
	case "content":
		b.content = value
	case "is_error":
		b.failed = value
	}
}

func (b *block) isCall() bool   { return strings.HasSuffix(b.kind, "tool_use") }
func (b *block) isResult() bool { return strings.HasSuffix(b.kind, "tool_result") }

func (c *content) add(b *block) {
	switch {
	case b.kind == "text" || b.kind == "":
		c.addText(b.text)
	case strings.HasSuffix(b.kind, "thinking"):
	case b.isCall():
		c.calls = append(c.calls, ToolUse{ID: strings.Clone(unquote(b.id)), Name: strings.Clone(unquote(b.name)), Input: rawInput(b.input)})
	case b.isResult():
		c.results = append(c.results, toolResult{unquote(b.callID), resultText(b.content), string(b.failed) == "true"})
	default:
		c.typed = true
		c.texts = append(c.texts, placeholder(b.kind))
	}
}

// placeholder returns the text for a block that is not text.
func placeholder(kind string) string {
	if !isWord(kind) {
		kind = "attachment"
	}
	return "[" + kind + "]"
}

// resultText returns a tool's result as text: a string, the joined texts of a list, or the
// raw JSON of anything else.
func resultText(raw []byte) string {
	switch at(raw, 0) {
	case '"', '[':
		c := contentOf(raw)
		return c.text()
	case '{':
		return valid(string(raw))
	}
	return ""
}

// rawInput returns a copy of a tool's input that fits on one line.
func rawInput(raw []byte) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	var b bytes.Buffer
	if bytes.IndexByte(raw, '\n') >= 0 && json.Compact(&b, raw) == nil {
		return bytes.ToValidUTF8(b.Bytes(), []byte("\uFFFD"))
	}
	return bytes.ToValidUTF8(bytes.Clone(raw), []byte("\uFFFD"))
}
