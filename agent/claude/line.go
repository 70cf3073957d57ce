package claude

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/agent/internal/payload"
)

// Line is one line of a Claude Code transcript. The raw values point into the line.
type Line struct {
	Kind      string // for the many kinds without a message
	UUID      string
	Version   string
	Timestamp string
	// aside marks a message that is not part of what the user sees: a subagent's side
	// chain, injected text, the summary after a compaction.
	Sidechain, Injected bool
	Cut                 bool   // a summary that a compaction wrote
	requested           bool   // the line has the ID of a request to a model
	result              []byte // toolUseResult, raw
	// Parent is parentUuid; logical is the record before a compaction, where parentUuid is
	// null; AgentID names the subagent that the line belongs to. All are raw, and nil
	// where absent.
	Parent, Logical, AgentID []byte
	Message                  Message
}

// Message is the message of a line.
type Message struct {
	ID, Model string
	usage     []byte // raw
	Content   []byte // raw, known to be valid JSON
}

// Scan parses line and reports whether it is well formed. It parses only lines with a
// message in full.
func (l *Line) Scan(line []byte) bool {
	var message []byte
	ok := jsontext.EachMember(line, func(key, value []byte) {
		switch string(key) {
		case "type":
			l.Kind = kindOf(value)
		case "uuid":
			l.UUID = jsontext.Unquote(value)
		case "version":
			l.Version = jsontext.Unquote(value)
		case "timestamp":
			l.Timestamp = jsontext.Unquote(value)
		case "isSidechain":
			l.Sidechain = string(value) == "true"
		case "isMeta", "isCompactSummary":
			l.Injected = l.Injected || string(value) == "true"
			l.Cut = l.Cut || key[2] == 'C' && string(value) == "true"
		case "requestId":
			l.requested = len(value) > 2
		case "toolUseResult":
			l.result = value
		case "parentUuid":
			l.Parent = value
		case "logicalParentUuid":
			l.Logical = value
		case "agentId":
			l.AgentID = value
		case "message":
			message = value
		}
	})
	if !ok || l.Kind == "" {
		return ok
	}
	if !gjson.ValidBytes(message) {
		return false
	}
	l.Message = Message{}
	jsontext.EachMember(message, l.Message.Take)
	return true
}

// Answered reports whether the line is a model's answer that the agent's program itself
// logged, together with its calls: it has content blocks, and a request ID, a model or
// usage.
func (l *Line) Answered() bool {
	m := &l.Message
	return !l.Sidechain && m.Model != agent.SyntheticModel && jsontext.At(m.Content, 0) == '[' && (l.requested || m.Model != "" || len(m.usage) > 2)
}

// kindOf returns the kind of a line with a message; "human" is an old name.
func kindOf(raw []byte) string {
	switch string(raw) {
	case `"user"`, `"human"`:
		return "user"
	case `"assistant"`:
		return "assistant"
	}
	return ""
}

func (m *Message) Take(key, value []byte) {
	switch string(key) {
	case "id":
		m.ID = jsontext.Unquote(value)
	case "model":
		m.Model = jsontext.Unquote(value)
	case "usage":
		m.usage = value
	case "content":
		m.Content = value
	}
}

// Interrupts reports whether the line says that the user stopped the agent.
func (l *Line) Interrupts() bool {
	return l.Kind == "user" && !l.Sidechain && bytes.Contains(l.Message.Content, []byte(agent.Interruption)) &&
		strings.HasPrefix(jsontext.TextOf(gjson.ParseBytes(l.Message.Content)), agent.Interruption)
}

// Prompt returns the user's prompt in this line, "" if it has none.
func (l *Line) Prompt() string {
	if l.Kind != "user" || l.Sidechain || l.Injected {
		return ""
	}
	return agent.CleanPrompt(jsontext.TextOf(gjson.ParseBytes(l.Message.Content)))
}

// EachBlock calls fn with each block of the message's content.
func (m *Message) EachBlock(fn func(kind string, block gjson.Result)) {
	if jsontext.At(m.Content, 0) != '[' {
		return
	}
	gjson.ParseBytes(m.Content).ForEach(func(_, block gjson.Result) bool {
		fn(block.Get("type").String(), block)
		return true
	})
}

// Tokens returns the usage that the message reports.
func (m *Message) Tokens() agent.TokenUsage {
	u := gjson.ParseBytes(m.usage)
	return agent.TokenUsage{
		InputTokens:         jsontext.TokenCount(u.Get("input_tokens")),
		CacheCreationTokens: jsontext.TokenCount(u.Get("cache_creation_input_tokens")),
		CacheReadTokens:     jsontext.TokenCount(u.Get("cache_read_input_tokens")),
		OutputTokens:        jsontext.TokenCount(u.Get("output_tokens")),
		APICallCount:        1,
	}
}

// AgentIDs calls fn with the IDs of the subagents that the line's tool results name.
func (l *Line) AgentIDs(fn func(agentID string)) {
	if jsontext.At(l.result, 0) == '{' {
		jsontext.EachMember(l.result, func(key, value []byte) {
			if string(key) == "agentId" {
				if s := jsontext.Unquote(value); jsontext.IsSafeName(s) {
					fn(s)
				}
			}
		})
	}
	if !bytes.Contains(l.Message.Content, []byte(payload.AgentIDMark)) {
		return
	}
	l.Message.EachBlock(func(kind string, block gjson.Result) {
		if kind == "tool_result" {
			if s := payload.AgentIDIn(jsontext.TextOf(block.Get("content"))); s != "" {
				fn(s)
			}
		}
	})
}

// Chain returns the conversation that the line belongs to.
func (l *Line) Chain() string {
	if !l.Sidechain {
		return agent.MainChain
	}
	if name := jsontext.Unquote(l.AgentID); name != "" {
		return agent.Clip(strings.Clone(name), agent.MaxName)
	}
	return agent.StrayChain
}
