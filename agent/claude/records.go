package claude

import (
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// line is one line of a transcript. The raw values point into the line.
type line struct {
	kind      string // for the many kinds without a message
	uuid      string
	version   string
	timestamp string
	// sidechain, injected: the message is not part of what the user sees, but a subagent's, injected text,
	// or the summary after a compaction, which is also a cut.
	sidechain, injected, cut bool
	requested                bool // the line has the ID of a request to a model
	outcome                  outcome
	// parent is parentUuid; logical is the record before a compaction, where parentUuid is null; agentID
	// names the subagent that the line belongs to.
	parent, logical, agentID []byte
	message                  []byte
	id, model                string // of the message
	usage, content           []byte // likewise
}

// scan parses the text of a line and reports whether it is well formed. It parses only lines with a
// message in full.
func (l *line) scan(text []byte) bool {
	end := jsontext.Walk(text, jsontext.SkipSpace(text, 0), func(key []byte, at int) int {
		end := -1
		switch string(key) {
		case "message":
			end = jsontext.WalkValues(text, at, l.takeOfMessage)
		case "toolUseResult":
			end = jsontext.WalkValues(text, at, l.outcome.take)
		}
		if end < 0 { // any other member, or no object
			end = jsontext.SkipValue(text, at)
		}
		if end >= 0 {
			l.take(key, text[at:end])
		}
		return end
	})
	if end < 0 || jsontext.SkipSpace(text, end) != len(text) {
		return false
	}
	return l.kind == "" || gjson.ValidBytes(l.message)
}

func (l *line) take(key, value []byte) {
	switch string(key) {
	case "type":
		l.kind = kindOf(value)
	case "uuid":
		l.uuid = jsontext.Unquote(value)
	case "version":
		l.version = jsontext.Unquote(value)
	case "timestamp":
		l.timestamp = jsontext.Unquote(value)
	case "isSidechain":
		l.sidechain = string(value) == "true"
	case "isMeta", "isCompactSummary":
		l.injected = l.injected || string(value) == "true"
		l.cut = l.cut || key[2] == 'C' && string(value) == "true"
	case "requestId":
		l.requested = len(value) > 2
	case "parentUuid":
		l.parent = value
	case "logicalParentUuid":
		l.logical = value
	case "agentId":
		l.agentID = value
	case "message":
		l.message = value
	}
}

func (l *line) takeOfMessage(key, value []byte) {
	switch string(key) {
	case "id":
		l.id = jsontext.Unquote(value)
	case "model":
		l.model = jsontext.Unquote(value)
	case "usage":
		l.usage = value
	case "content":
		l.content = value
	}
}

// kindOf returns the role of a line with a message; "human" is an old name.
func kindOf(raw []byte) string {
	switch string(raw) {
	case `"user"`, `"human"`:
		return agent.RoleUser
	case `"assistant"`:
		return agent.RoleAssistant
	}
	return ""
}

// Records implements agent.RecordReader. Most lines have no message, and only a place in the chain.
func (Adapter) Records(text []byte) ([]agent.Record, bool) { return records(text, false) }

// Outline implements agent.Outliner.
func (Adapter) Outline(text []byte) ([]agent.Record, bool) { return records(text, true) }

func records(text []byte, outline bool) ([]agent.Record, bool) {
	var l line
	ok := l.scan(text)
	r := agent.Record{ID: l.uuid, Time: l.timestamp, Version: l.version, Parent: jsontext.Unquote(l.parent), Summary: l.cut}
	if string(l.parent) == "null" {
		r.NoParent, r.Continues = true, jsontext.Unquote(l.logical)
	}
	if l.sidechain {
		if r.Subagent = jsontext.Unquote(l.agentID); r.Subagent == "" {
			r.Subagent = agent.StrayChain
		}
	}
	switch {
	case !ok:
		return []agent.Record{r}, false
	case l.kind != "":
		l.say(&r, outline)
	case r.ID+r.Time+r.Version == "":
		return nil, true
	}
	return []agent.Record{r}, true
}

// say sets what the line's message says.
func (l *line) say(r *agent.Record, outline bool) {
	r.Role, r.Parts = l.kind, parts(l.content, outline)
	if l.kind == agent.RoleUser {
		r.Injected = l.injected
		if !outline {
			addOutcome(r.Parts, &l.outcome, l.content)
			r.Stopped = !l.sidechain && stops(r.Parts)
		}
		return
	}
	if r.Answer = l.id; outline {
		return
	}
	r.Model = l.model
	// An answer that the program itself logged, together with its calls, has content blocks, and a
	// request's ID, a model or usage.
	r.Partial = l.sidechain || l.model == agent.SyntheticModel || jsontext.At(l.content, 0) != '[' || !l.requested && l.model == "" && len(l.usage) <= 2
	if l.id != "" {
		r.Usage = tokens(l.usage)
	}
}

// stops reports whether the text of a message says that the user stopped the agent.
func stops(parts []agent.Part) bool {
	for _, p := range parts {
		if p.Kind == agent.TextPart && p.Text != "" {
			return strings.HasPrefix(p.Text, agent.Interruption)
		}
	}
	return false
}

// tokens returns the usage that a message reports.
func tokens(usage []byte) *agent.TokenUsage {
	u := gjson.ParseBytes(usage)
	return &agent.TokenUsage{
		InputTokens:         jsontext.TokenCount(u.Get("input_tokens")),
		CacheCreationTokens: jsontext.TokenCount(u.Get("cache_creation_input_tokens")),
		CacheReadTokens:     jsontext.TokenCount(u.Get("cache_read_input_tokens")),
		OutputTokens:        jsontext.TokenCount(u.Get("output_tokens")),
		APICallCount:        1,

		CacheCreationHourTokens: jsontext.TokenCount(u.Get("cache_creation.ephemeral_1h_input_tokens")),
	}
}

// Describing implements agent.CallDescriber.
func (Adapter) Describing(tool string) []string {
	switch tool {
	case "Skill":
		return []string{"skill"}
	case "Read":
		return []string{"file_path", "notebook_path"}
	case "WebFetch":
		return []string{"url"}
	case "Bash":
		return []string{"command", "description"}
	}
	return []string{"description", "command", "file_path", "notebook_path", "pattern"}
}
