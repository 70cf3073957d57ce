package gemini

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// Name sets the ID of a message without a usable one, derived from its content; seen
// counts messages with equal content.
func (m *Message) Name(seen map[string]int) {
	if m.ID != "" && len(m.ID) <= agent.MaxName {
		return
	}
	said := m.ID + "\x00" + m.Kind + "\x00" + m.Timestamp + "\x00" + string(m.Content)
	seen[said]++
	m.ID = fmt.Sprintf("msg-%016x", MessageKey(fmt.Sprint(seen[said])+said))
}

// Answer returns the result of a call as a message.
func (c Call) Answer() agent.Message {
	text := c.output()
	if text == "" {
		text = jsontext.ValidUTF8(c.shown.String())
	}
	return agent.Message{Role: agent.RoleTool, Content: text, ToolCallID: c.ID, ToolName: c.Name,
		IsError: c.status == "error" || c.status == "cancelled"}
}

// output returns the call's result as the model received it.
func (c Call) output() string {
	var texts []string
	take := func(part gjson.Result) {
		response := part.Get("functionResponse.response")
		switch {
		case part.Type == gjson.String:
			texts = append(texts, jsontext.ValidUTF8(part.Str))
		case agent.FirstString(response, "output", "error") != "":
			texts = append(texts, jsontext.ValidUTF8(agent.FirstString(response, "output", "error")))
		case response.Exists():
			texts = append(texts, jsontext.ValidUTF8(response.Raw))
		default:
			texts = append(texts, PartWord(part))
		}
	}
	if !c.result.IsArray() {
		if c.result.Exists() && c.result.Type != gjson.Null {
			take(c.result)
		}
		return strings.Join(texts, "\n\n")
	}
	c.result.ForEach(func(_, part gjson.Result) bool { take(part); return true })
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n\n")
}

// PartWord returns the text of one part, or a placeholder; "" for a thought.
func PartWord(part gjson.Result) string {
	if part.Type == gjson.String {
		return jsontext.ValidUTF8(part.Str)
	}
	if !part.IsObject() || part.Get("thought").Type == gjson.True {
		return ""
	}
	if t := part.Get("text"); t.Type == gjson.String {
		return jsontext.ValidUTF8(t.Str)
	}
	kind, _, _ := strings.Cut(part.Get("inlineData.mimeType").String()+part.Get("fileData.mimeType").String(), "/")
	switch {
	case kind != "":
		return jsontext.Placeholder(kind)
	case part.Get("inlineData").Exists() || part.Get("fileData").Exists():
		return jsontext.Placeholder("")
	}
	return ""
}
