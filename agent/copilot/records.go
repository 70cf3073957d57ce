package copilot

import (
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// Records implements agent.RecordReader. It leaves out the events that repeat others: those of hooks,
// and the start of a call, which the model's message has.
func (Adapter) Records(line []byte) ([]agent.Record, bool) {
	if !gjson.ValidBytes(line) {
		return nil, false
	}
	event := gjson.ParseBytes(line)
	if !event.IsObject() {
		return nil, false
	}
	data := event.Get("data")
	r := agent.Record{ID: text(event, "id"), Time: text(event, "timestamp"), Subagent: text(event, "agentId")}
	switch text(event, "type") {
	case "session.start", "session.resume":
		r.Version, r.Model = text(data, "copilotVersion"), text(data, "selectedModel")
	case "session.model_change":
		r.Model = text(data, "newModel")
	case "session.usage_record", "assistant.usage":
		r.Usage, r.Answer = usage(data, r.Subagent != "")
	case "user.message":
		r.Role, r.Parts = agent.RoleUser, said(data, "content")
		source := text(data, "source")
		r.Injected = source != "" && source != "user"
	case "assistant.message":
		answer(&r, data)
	case "tool.execution_complete":
		r.Role, r.Parts = agent.RoleTool, result(data)
	case "abort":
		r.Stopped = true
	default:
		return nil, true
	}
	r.ID = messageID(&r)
	return []agent.Record{r}, true
}

// messageID returns the ID of a record that is a message, "" for any other.
func messageID(r *agent.Record) string {
	if r.Role == "" {
		return ""
	}
	return r.ID
}

func text(v gjson.Result, key string) string {
	if m := v.Get(key); m.Type == gjson.String {
		return jsontext.ValidUTF8(m.Str)
	}
	return ""
}

func said(data gjson.Result, key string) []agent.Part {
	if s := text(data, key); s != "" {
		return []agent.Part{{Kind: agent.TextPart, Text: s}}
	}
	return nil
}

// answer sets what a message of the model says: its thoughts, its text and its calls.
func answer(r *agent.Record, data gjson.Result) {
	r.Role, r.Model, r.Answer = agent.RoleAssistant, text(data, "model"), text(data, "apiCallId")
	if s := text(data, "reasoningText"); s != "" {
		r.Parts = append(r.Parts, agent.Part{Kind: agent.ThoughtPart, Text: s})
	}
	r.Parts = append(r.Parts, said(data, "content")...)
	data.Get("toolRequests").ForEach(func(_, request gjson.Result) bool {
		if request.IsObject() {
			r.Parts = append(r.Parts, agent.Part{Kind: agent.CallPart, Call: callOf(request)})
		}
		return true
	})
}

// usage returns what one answer of the model consumed, and the answer's name. Copilot counts tokens
// from the cache as input, too.
func usage(data gjson.Result, bySubagent bool) (*agent.TokenUsage, string) {
	in := data
	if u := data.Get("usage"); u.IsObject() {
		in = u
	}
	count := func(key string) int { return jsontext.TokenCount(in.Get(key)) }
	cached, written := count("cacheReadTokens"), count("cacheWriteTokens")
	u := &agent.TokenUsage{InputTokens: max(0, count("inputTokens")-cached-written), CacheReadTokens: cached, CacheCreationTokens: written,
		OutputTokens: count("outputTokens"), APICallCount: 1}
	if bySubagent {
		u = &agent.TokenUsage{SubagentTokens: u}
	}
	return u, text(in, "apiCallId")
}

// result returns the result of a call, and the files that it reports as written.
func result(data gjson.Result) []agent.Part {
	var files []string
	data.Get("fileEdits").ForEach(func(_, edit gjson.Result) bool {
		if path := text(edit, "path"); path != "" {
			files = append(files, path)
		}
		return true
	})
	p := agent.Part{Kind: agent.ResultPart, CallID: text(data, "toolCallId"), Tool: text(data, "toolName"),
		Text: text(data.Get("result"), "content"), Failed: data.Get("success").Type == gjson.False}
	if p.Text == "" {
		p.Text = text(data.Get("error"), "message")
	}
	if len(files) == 0 {
		return []agent.Part{p}
	}
	p.Edits = changed(text(data.Get("result"), "detailedContent"), files)
	return []agent.Part{p, {Kind: agent.FilesPart, Files: files}}
}

// changed returns the lines that a diff in git's form adds and removes. Its names lack the first slash,
// so its files are named by the list, in which they have the same order.
func changed(diff string, files []string) []agent.Edit {
	var out []agent.Edit
	var added, removed []string
	flush := func() {
		if n := len(out); n > 0 && len(added) > 0 {
			out[n-1].Texts = []string{strings.Join(added, "\n") + "\n"}
		}
		if n := len(out); n > 0 && len(removed) > 0 {
			out[n-1].Replaced = []string{strings.Join(removed, "\n") + "\n"}
		}
		added, removed = nil, nil
	}
	inHunk := false
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			if flush(); len(out) == len(files) {
				return nil // a diff of other files
			}
			out, inHunk = append(out, agent.Edit{Path: files[len(out)]}), false
		case strings.HasPrefix(line, "@@ "):
			inHunk = true
		case inHunk && strings.HasPrefix(line, "+"):
			added = append(added, line[1:])
		case inHunk && strings.HasPrefix(line, "-"):
			removed = append(removed, line[1:])
		}
	}
	if flush(); len(out) != len(files) {
		return nil
	}
	return out
}

// Recognises implements agent.Recogniser: the first line describes the session.
func (Adapter) Recognises(head []byte) bool {
	line, _, _ := strings.Cut(string(head), "\n")
	return gjson.Get(line, "type").String() == "session.start" && gjson.Get(line, "data.sessionId").Exists()
}
