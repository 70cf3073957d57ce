package agent

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"
)

// claudeLine is one line of a Claude Code transcript. The raw values point into the line.
type claudeLine struct {
	kind      string // for the many kinds without a message
	uuid      string
	version   string
	timestamp string
	// aside marks a message that is not part of what the user sees: a subagent's side
	// chain, injected text, the summary after a compaction.
	sidechain, injected bool
	cut                 bool   // a summary that a compaction wrote
	requested           bool   // the line has the ID of a request to a model
	result              []byte // toolUseResult, raw
	// parent is parentUuid; logical is the record before a compaction, where parentUuid is
	// null; agentID names the subagent that the line belongs to. All are raw, and nil
	// where absent.
	parent, logical, agentID []byte
	message                  claudeMessage
}

type claudeMessage struct {
	id, model string
	usage     []byte // raw
	content   []byte // raw, known to be valid JSON
}

// scan parses line and reports whether it is well formed. It parses only lines with a
// message in full.
func (l *claudeLine) scan(line []byte) bool {
	var message []byte
	ok := eachMember(line, func(key, value []byte) {
		switch string(key) {
		case "type":
			l.kind = kindOf(value)
		case "uuid":
			l.uuid = unquote(value)
		case "version":
			l.version = unquote(value)
		case "timestamp":
			l.timestamp = unquote(value)
		case "isSidechain":
			l.sidechain = string(value) == "true"
		case "isMeta", "isCompactSummary":
			l.injected = l.injected || string(value) == "true"
			l.cut = l.cut || key[2] == 'C' && string(value) == "true"
		case "requestId":
			l.requested = len(value) > 2
		case "toolUseResult":
			l.result = value
		case "parentUuid":
			l.parent = value
		case "logicalParentUuid":
			l.logical = value
		case "agentId":
			l.agentID = value
		case "message":
			message = value
		}
	})
	if !ok || l.kind == "" {
		return ok
	}
	if !gjson.ValidBytes(message) {
		return false
	}
	l.message = claudeMessage{}
	eachMember(message, l.message.take)
	return true
}

// answered reports whether the line is a model's answer that the agent's program itself
// logged, together with its calls: it has content blocks, and a request ID, a model or
// usage.
func (l *claudeLine) answered() bool {
	m := &l.message
	return !l.sidechain && m.model != syntheticModel && at(m.content, 0) == '[' && (l.requested || m.model != "" || len(m.usage) > 2)
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

func (m *claudeMessage) take(key, value []byte) {
	switch string(key) {
	case "id":
		m.id = unquote(value)
	case "model":
		m.model = unquote(value)
	case "usage":
		m.usage = value
	case "content":
		m.content = value
	}
}

// interrupts reports whether the line says that the user stopped the agent.
func (l *claudeLine) interrupts() bool {
	return l.kind == "user" && !l.sidechain && bytes.Contains(l.message.content, []byte(interruption)) &&
		strings.HasPrefix(textOf(gjson.ParseBytes(l.message.content)), interruption)
}

// prompt returns the user's prompt in this line, "" if it has none.
func (l *claudeLine) prompt() string {
	if l.kind != "user" || l.sidechain || l.injected {
		return ""
	}
	return CleanPrompt(textOf(gjson.ParseBytes(l.message.content)))
}

// eachBlock calls fn with each block of the message's content.
func (m *claudeMessage) eachBlock(fn func(kind string, block gjson.Result)) {
	if at(m.content, 0) != '[' {
		return
	}
	gjson.ParseBytes(m.content).ForEach(func(_, block gjson.Result) bool {
		fn(block.Get("type").String(), block)
		return true
	})
}

// tokens returns the usage that the message reports.
func (m *claudeMessage) tokens() TokenUsage {
	u := gjson.ParseBytes(m.usage)
	return TokenUsage{
		InputTokens:         count(u.Get("input_tokens")),
		CacheCreationTokens: count(u.Get("cache_creation_input_tokens")),
		CacheReadTokens:     count(u.Get("cache_read_input_tokens")),
		OutputTokens:        count(u.Get("output_tokens")),
		APICallCount:        1,
	}
}

// mostTokens is more than one message can use; sums of it do not overflow.
const mostTokens = 1 << 40

func count(v gjson.Result) int {
	if v.Type != gjson.Number {
		return 0
	}
	return int(min(max(v.Int(), 0), mostTokens))
}

// agentIDs calls fn with the IDs of the subagents that the line's tool results name.
func (l *claudeLine) agentIDs(fn func(agentID string)) {
	if at(l.result, 0) == '{' {
		eachMember(l.result, func(key, value []byte) {
			if string(key) == "agentId" {
				if s := unquote(value); isWord(s) {
					fn(s)
				}
			}
		})
	}
	if !bytes.Contains(l.message.content, []byte(agentIDMark)) {
		return
	}
	l.message.eachBlock(func(kind string, block gjson.Result) {
		if kind == "tool_result" {
			if s := agentIDIn(textOf(block.Get("content"))); s != "" {
				fn(s)
			}
		}
	})
}

// agentIDMark precedes the ID of a subagent in the text of its result.
const agentIDMark = "agentId: "

// agentIDIn returns the last subagent's ID in text, where Claude Code puts it; "" if there
// is none.
func agentIDIn(text string) string {
	i := strings.LastIndex(text, agentIDMark)
	if i < 0 {
		return ""
	}
	s := text[i+len(agentIDMark):]
	if end := strings.IndexFunc(s, func(r rune) bool { return !isAlnum(r) }); end >= 0 {
		s = s[:end]
	}
	if !isWord(s) {
		return ""
	}
	return s
}
