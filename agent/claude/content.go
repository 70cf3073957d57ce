package claude

import (
	"bytes"
	"encoding/json"
	"strings"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// Content is the parsed content of a message.
type Content struct {
	Texts   []string
	Calls   []agent.ToolUse
	Results []toolResult
	Typed   bool // some of it is neither text nor a tool's block
}

type toolResult struct {
	CallID, Text string
	IsError      bool
}

func (c *Content) Text() string { return strings.Join(c.Texts, "\n\n") }

// EachBlock calls fn with each block of a raw content that is an array of them.
func EachBlock(raw []byte, fn func(b *Block)) {
	if jsontext.At(raw, 0) != '[' {
		return
	}
	for _, p := range jsontext.Elements(raw, 1, len(raw)-1) {
		var b Block
		if element := bytes.TrimSpace(raw[p.From:p.To]); jsontext.At(element, 0) == '"' {
			fn(&Block{Text: element})
		} else if jsontext.EachMember(element, b.take) {
			fn(&b)
		}
	}
}

// ContentOf parses the raw content of a message, which must be valid JSON: a string, or an
// array of blocks. It replaces blocks of unknown kinds with a placeholder.
func ContentOf(raw []byte) Content {
	var c Content
	if jsontext.At(raw, 0) == '"' {
		c.addText(raw)
	}
	EachBlock(raw, c.add)
	return c
}

func (c *Content) addText(raw []byte) {
	if s := jsontext.Unquote(raw); s != "" {
		c.Texts = append(c.Texts, s)
	}
}

// Block is one block of a message's content; its members are raw.
type Block struct {
	Kind                                           string
	ID, Name, Input, Text, CallID, content, failed []byte
	Thinking                                       []byte
}

func (b *Block) take(key, value []byte) {
	switch string(key) {
	case "type":
		b.Kind = jsontext.Unquote(value)
	case "id":
		b.ID = value
	case "name":
		b.Name = value
	case "input":
		b.Input = value
	case "text":
		b.Text = value
	case "thinking":
		b.Thinking = value
	case "tool_use_id":
		b.CallID = value
	case "content":
		b.content = value
	case "is_error":
		b.failed = value
	}
}

func (b *Block) IsCall() bool { return strings.HasSuffix(b.Kind, "tool_use") }

func (b *Block) IsResult() bool { return strings.HasSuffix(b.Kind, "tool_result") }

func (c *Content) add(b *Block) {
	switch {
	case b.Kind == "text" || b.Kind == "":
		c.addText(b.Text)
	case strings.HasSuffix(b.Kind, "thinking"):
	case b.IsCall():
		c.Calls = append(c.Calls, agent.ToolUse{ID: strings.Clone(jsontext.Unquote(b.ID)), Name: strings.Clone(jsontext.Unquote(b.Name)), Input: RawInput(b.Input)})
	case b.IsResult():
		c.Results = append(c.Results, toolResult{jsontext.Unquote(b.CallID), resultText(b.content), string(b.failed) == "true"})
	default:
		c.Typed = true
		c.Texts = append(c.Texts, jsontext.Placeholder(b.Kind))
	}
}

// resultText returns a tool's result as text: a string, the joined texts of a list, or the
// raw JSON of anything else.
func resultText(raw []byte) string {
	switch jsontext.At(raw, 0) {
	case '"', '[':
		c := ContentOf(raw)
		return c.Text()
	case '{':
		return jsontext.ValidUTF8(string(raw))
	}
	return ""
}

// RawInput returns a copy of a tool's input that fits on one line.
func RawInput(raw []byte) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	var b bytes.Buffer
	if bytes.IndexByte(raw, '\n') >= 0 && json.Compact(&b, raw) == nil {
		return bytes.ToValidUTF8(b.Bytes(), []byte("\uFFFD"))
	}
	return bytes.ToValidUTF8(bytes.Clone(raw), []byte("\uFFFD"))
}
