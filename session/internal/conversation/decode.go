package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/session/internal/log"
)

// ParseMessage reads a line of messages.jsonl as encoding/json does, but accepts only an
// object. Lines that this package wrote are read several times faster than by reflection.
func ParseMessage(line []byte) (m Message, err error) {
	if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '{' {
		return m, errors.New("not an object")
	}
	if m, ok := parseOwn(line); ok {
		return m, nil
	}
	err = json.Unmarshal(line, &m)
	return m, err
}

// parseOwn reads a line that has only the fields, types and values that this package writes. ok
// is false for any other line.
func parseOwn(line []byte) (m Message, ok bool) {
	if !log.IsJSON(line) || !utf8.Valid(line) {
		return m, false
	}
	ok = true
	gjson.ParseBytes(line).ForEach(func(key, value gjson.Result) bool {
		ok = setField(&m, key.Str, value)
		return ok
	})
	return m, ok
}

func setField(m *Message, key string, v gjson.Result) bool {
	switch key {
	case "uuid":
		return setText(&m.UUID, v)
	case "parent_uuid":
		return setText(&m.ParentUUID, v)
	case "timestamp":
		return m.Timestamp.UnmarshalJSON([]byte(v.Raw)) == nil
	case "role":
		return setText(&m.Role, v)
	case "content":
		return setText(&m.Content, v)
	case "tool_calls":
		return setCalls(&m.ToolCalls, v)
	case "tool_call_id":
		return setText(&m.ToolCallID, v)
	case "tool_name":
		return setText(&m.ToolName, v)
	case "is_error":
		m.IsError = v.Type == gjson.True
		return m.IsError
	case "model":
		return setText(&m.Model, v)
	case "message_id":
		return setText(&m.MessageID, v)
	case "usage":
		m.Usage = new(agent.TokenUsage)
		return setUsage(m.Usage, v)
	case "agent_id":
		return setText(&m.AgentID, v)
	case "sidechain":
		m.Sidechain = v.Type == gjson.True
		return m.Sidechain
	case "injected":
		m.Injected = v.Type == gjson.True
		return m.Injected
	}
	return false
}

// setText refuses strings with \u escapes, some of which are no characters; encoding/json
// decodes those.
func setText(to *string, v gjson.Result) bool {
	*to = v.Str
	return v.Type == gjson.String && !strings.Contains(v.Raw, `\u`)
}

func setCalls(to *[]agent.ToolUse, v gjson.Result) bool {
	ok := v.IsArray() && *to == nil
	v.ForEach(func(_, call gjson.Result) bool {
		var c agent.ToolUse
		ok = ok && call.IsObject()
		call.ForEach(func(key, value gjson.Result) bool {
			switch key.Str {
			case "id":
				ok = ok && setText(&c.ID, value)
			case "name":
				ok = ok && setText(&c.Name, value)
			case "input":
				c.Input = json.RawMessage(value.Raw)
			default:
				ok = false
			}
			return ok
		})
		*to = append(*to, c)
		return ok
	})
	return ok && *to != nil
}

func setUsage(u *agent.TokenUsage, v gjson.Result) bool {
	ok := v.IsObject()
	v.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "input_tokens":
			ok = ok && setCount(&u.InputTokens, value)
		case "cache_creation_tokens":
			ok = ok && setCount(&u.CacheCreationTokens, value)
		case "cache_read_tokens":
			ok = ok && setCount(&u.CacheReadTokens, value)
		case "output_tokens":
			ok = ok && setCount(&u.OutputTokens, value)
		case "api_call_count":
			ok = ok && setCount(&u.APICallCount, value)
		case "cache_creation_hour_tokens":
			ok = ok && setCount(&u.CacheCreationHourTokens, value)
		case "reasoning_tokens":
			ok = ok && setCount(&u.ReasoningTokens, value)
		default: // including the usage of subagents, which is rare
			ok = false
		}
		return ok
	})
	return ok
}

func setCount(to *int, v gjson.Result) bool {
	n, err := strconv.ParseInt(v.Raw, 10, 64)
	*to = int(n)
	return err == nil && n >= math.MinInt && n <= math.MaxInt
}
