package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"entire/agent"
	"entire/session/internal/log"
)

// AppendLine appends a message as a line of messages.jsonl: the output of encoding/json with
// HTML unescaped, except that a tool's input keeps its spaces. It avoids reflection, because
// the caller of an append waits for it.
func AppendLine(out []byte, m *Message) ([]byte, error) {
	var err error
	out = appendText(append(out, `{"uuid":`...), m.UUID)
	out = appendOptional(out, "parent_uuid", m.ParentUUID)
	if !m.Timestamp.IsZero() {
		out = append(out, `,"timestamp":"`...)
		if out, err = m.Timestamp.AppendText(out); err != nil {
			return nil, fmt.Errorf("timestamp: %w", err)
		}
		out = append(out, '"')
	}
	out = appendText(append(out, `,"role":`...), m.Role)
	out = appendText(append(out, `,"content":`...), m.Content)
	if out, err = appendCalls(out, m.ToolCalls); err != nil {
		return nil, err
	}
	out = appendOptional(out, "tool_call_id", m.ToolCallID)
	out = appendOptional(out, "tool_name", m.ToolName)
	out = appendFlag(out, "is_error", m.IsError)
	out = appendOptional(out, "model", m.Model)
	out = appendOptional(out, "message_id", m.MessageID)
	if m.Usage != nil {
		out = appendUsage(append(out, `,"usage":`...), m.Usage)
	}
	out = appendOptional(out, "agent_id", m.AgentID)
	out = appendFlag(out, "sidechain", m.Sidechain)
	out = appendFlag(out, "injected", m.Injected)
	if m.Rewind != nil {
		out = append(appendText(append(out, `,"rewind":{"to":`...), m.Rewind.To), '}')
	}
	return append(out, '}', '\n'), nil
}

func appendOptional(out []byte, key, value string) []byte {
	if value == "" {
		return out
	}
	out = append(append(append(out, `,"`...), key...), `":`...)
	return appendText(out, value)
}

func appendFlag(out []byte, key string, set bool) []byte {
	if !set {
		return out
	}
	return append(append(append(out, `,"`...), key...), `":true`...)
}

func appendCalls(out []byte, calls []agent.ToolUse) ([]byte, error) {
	for i, c := range calls {
		if i == 0 {
			out = append(out, `,"tool_calls":[`...)
		} else {
			out = append(out, ',')
		}
		out = appendText(append(out, `{"id":`...), c.ID)
		out = appendText(append(out, `,"name":`...), c.Name)
		if len(c.Input) > 0 {
			if !log.IsJSON(c.Input) {
				return nil, fmt.Errorf("input of tool call %.60q is not JSON", c.ID)
			}
			out = append(append(out, `,"input":`...), OneLine(c.Input)...)
		}
		out = append(out, '}')
	}
	if len(calls) > 0 {
		out = append(out, ']')
	}
	return out, nil
}

// OneLine returns a JSON value with its line ends, which can only stand between tokens,
// replaced by spaces.
func OneLine(value json.RawMessage) []byte {
	if bytes.IndexByte(value, '\n') < 0 {
		return value
	}
	return bytes.ReplaceAll(value, []byte{'\n'}, []byte{' '})
}

func appendUsage(out []byte, u *agent.TokenUsage) []byte {
	for i, n := range []int{u.InputTokens, u.CacheCreationTokens, u.CacheReadTokens, u.OutputTokens, u.APICallCount} {
		out = append(out, usageKeys[i]...)
		out = strconv.AppendInt(out, int64(n), 10)
	}
	for _, part := range []struct {
		key string
		n   int
	}{{`,"cache_creation_hour_tokens":`, u.CacheCreationHourTokens}, {`,"reasoning_tokens":`, u.ReasoningTokens}} {
		if part.n != 0 {
			out = strconv.AppendInt(append(out, part.key...), int64(part.n), 10)
		}
	}
	if u.SubagentTokens != nil {
		out = appendUsage(append(out, `,"subagent_tokens":`...), u.SubagentTokens)
	}
	return append(out, '}')
}

// usageKeys are the texts before each number of appendUsage.
var usageKeys = [...]string{
	`{"input_tokens":`, `,"cache_creation_tokens":`, `,"cache_read_tokens":`, `,"output_tokens":`, `,"api_call_count":`,
}

// appendText appends a JSON string.
func appendText(out []byte, s string) []byte {
	out = append(out, '"')
	start := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b >= ' ' && b != '"' && b != '\\' && b < utf8.RuneSelf {
			i++
			continue
		}
		size, escape := 1, ""
		if b < utf8.RuneSelf {
			out = append(append(out, s[start:i]...), '\\')
			out = appendEscape(out, b)
			i, start = i+1, i+1
			continue
		}
		var r rune
		switch r, size = utf8.DecodeRuneInString(s[i:]); {
		case r == utf8.RuneError && size == 1:
			escape = `\ufffd`
		case r == '\u2028':
			escape = `\u2028`
		case r == '\u2029':
			escape = `\u2029`
		}
		if escape != "" {
			out = append(append(out, s[start:i]...), escape...)
			start = i + size
		}
		i += size
	}
	return append(append(out, s[start:]...), '"')
}

func appendEscape(out []byte, b byte) []byte {
	const hex = "0123456789abcdef"
	switch b {
	case '"', '\\':
		return append(out, b)
	case '\b':
		return append(out, 'b')
	case '\f':
		return append(out, 'f')
	case '\n':
		return append(out, 'n')
	case '\r':
		return append(out, 'r')
	case '\t':
		return append(out, 't')
	}
	return append(out, 'u', '0', '0', hex[b>>4], hex[b&0xf])
}
