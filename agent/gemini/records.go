package gemini

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
)

// message is one line, or one message of a document. Its raw values point into the text.
type message struct {
	id, kind, timestamp, model string
	backTo                     string // a step back
	saved                      []byte // a change of the metadata, raw

	content, shown, calls, tokens, thoughts []byte // raw, known to be valid JSON
}

// scan parses a message; kind is "" for an object that is not a message.
func (m *message) scan(text []byte) bool {
	ok := jsontext.EachMember(text, func(key, value []byte) {
		switch string(key) {
		case "id":
			m.id = jsontext.Unquote(value)
		case "type":
			m.kind = jsontext.Unquote(value)
		case "timestamp":
			m.timestamp = jsontext.Unquote(value)
		case "model":
			m.model = jsontext.Unquote(value)
		case "content":
			m.content = value
		case "displayContent":
			m.shown = value
		case "toolCalls":
			m.calls = value
		case "tokens":
			m.tokens = value
		case "thoughts":
			m.thoughts = value
		case "$rewindTo":
			m.backTo = jsontext.Unquote(value)
		case "$set":
			m.saved = value
		}
	})
	return ok && gjson.ValidBytes(text)
}

// Records implements agent.RecordReader. A line with a change of the metadata says nothing: see Saved.
func (Adapter) Records(text []byte) ([]agent.Record, bool) {
	var m message
	if !m.scan(text) {
		return nil, false
	}
	r := agent.Record{ID: m.id, Time: m.timestamp}
	switch m.kind {
	case "":
		if m.backTo == "" {
			return nil, true
		}
		return []agent.Record{{BackTo: m.backTo}}, true
	case "user":
		r.Role, r.Typed, r.Parts = agent.RoleUser, m.typed(), textParts(m.content)
	case "gemini":
		r.Role, r.Model = agent.RoleAssistant, m.model
		m.answer(&r)
	default:
		r.Role, r.Parts = agent.RoleSystem, textParts(m.content)
	}
	return []agent.Record{r}, true
}

// typed returns what a person typed in a user's message. Gemini appends the files that a prompt names.
func (m *message) typed() string {
	if s := agent.CleanPrompt(jsontext.PartText(m.shown)); s != "" {
		return s
	}
	said, _, _ := strings.Cut(jsontext.PartText(m.content), "\n--- Content from referenced files ---")
	return said
}

// answer sets what a message of the model says. A result follows its call.
func (m *message) answer(r *agent.Record) {
	gjson.ParseBytes(m.thoughts).ForEach(func(_, v gjson.Result) bool {
		text := strings.TrimSpace(strings.Join([]string{v.Get("subject").String(), v.Get("description").String()}, "\n"))
		r.Parts = append(r.Parts, agent.Part{Kind: agent.ThoughtPart, Text: jsontext.ValidUTF8(text)})
		return true
	})
	r.Parts = append(r.Parts, textParts(m.content)...)
	if jsontext.At(m.calls, 0) == '[' {
		gjson.ParseBytes(m.calls).ForEach(func(_, v gjson.Result) bool {
			c := callIn(v)
			r.Parts = append(r.Parts, agent.Part{Kind: agent.CallPart, Call: c.call()})
			if !c.open() {
				r.Parts = append(r.Parts, c.answer())
			}
			return true
		})
	}
	r.Usage = m.usage()
	r.Partial = r.Usage == nil
}

// usage returns the usage that the message reports, nil for none.
func (m *message) usage() *agent.TokenUsage {
	t := gjson.ParseBytes(m.tokens)
	if !t.IsObject() {
		return nil
	}
	cached := jsontext.TokenCount(t.Get("cached"))
	return &agent.TokenUsage{
		InputTokens:     max(jsontext.TokenCount(t.Get("input"))+jsontext.TokenCount(t.Get("tool"))-cached, 0),
		CacheReadTokens: cached,
		OutputTokens:    jsontext.TokenCount(t.Get("output")) + jsontext.TokenCount(t.Get("thoughts")),
		ReasoningTokens: jsontext.TokenCount(t.Get("thoughts")),
		APICallCount:    1,
	}
}

// textParts returns the parts of a raw content, without thoughts. Neighbouring texts are one part.
func textParts(raw []byte) []agent.Part {
	var out []agent.Part
	take := func(v gjson.Result) {
		p := textPart(v)
		last := len(out) - 1
		switch {
		case p.Text == "":
		case p.Kind == agent.TextPart && last >= 0 && out[last].Kind == agent.TextPart:
			out[last].Text += "\n\n" + p.Text
		default:
			out = append(out, p)
		}
	}
	content := gjson.ParseBytes(raw)
	if !content.IsArray() {
		take(content)
		return out
	}
	content.ForEach(func(_, v gjson.Result) bool { take(v); return true })
	return out
}

// textPart returns one part of a content: its text, or a placeholder; an empty one for a thought.
func textPart(v gjson.Result) agent.Part {
	if v.Type == gjson.String {
		return agent.Part{Text: jsontext.ValidUTF8(v.Str)}
	}
	if !v.IsObject() || v.Get("thought").Type == gjson.True {
		return agent.Part{}
	}
	if t := v.Get("text"); t.Type == gjson.String {
		return agent.Part{Text: jsontext.ValidUTF8(t.Str)}
	}
	if !v.Get("inlineData").Exists() && !v.Get("fileData").Exists() {
		return agent.Part{}
	}
	kind, _, _ := strings.Cut(v.Get("inlineData.mimeType").String()+v.Get("fileData.mimeType").String(), "/")
	return agent.Part{Kind: agent.OtherPart, Text: jsontext.Placeholder(kind)}
}

// toolCall is a tool call in a message.
type toolCall struct {
	id, name, status    string
	ended               string // the end time, as written
	agentID             string // the subagent that the call started
	args, result, shown gjson.Result
}

func callIn(v gjson.Result) toolCall {
	c := toolCall{
		id: jsontext.ValidUTF8(v.Get("id").String()), name: agent.Clip(jsontext.ValidUTF8(v.Get("name").String()), agent.MaxName),
		status: v.Get("status").String(), ended: v.Get("timestamp").String(),
		args: v.Get("args"), result: v.Get("result"), shown: v.Get("resultDisplay"),
	}
	if name := v.Get("agentId"); name.Type == gjson.String && jsontext.IsSafeName(name.Str) {
		c.agentID = name.Str
	}
	return c
}

// open reports whether the call has no result yet.
func (c *toolCall) open() bool {
	return slices.Contains([]string{"executing", "scheduled", "validating", "awaiting_approval"}, c.status)
}

// failed reports whether the call was refused, or failed.
func (c *toolCall) failed() bool { return c.status == "cancelled" || c.status == "error" }

// call returns the call, with what it means for files.
func (c *toolCall) call() agent.Call {
	out := agent.Call{ToolUse: agent.ToolUse{ID: c.id, Name: c.name, Input: jsontext.OneLine([]byte(c.args.Raw))}, AgentID: c.agentID}
	switch c.name {
	case "write_file", "edit_file", "save_file", "replace":
		if e := base.EditIn([]byte(c.args.Raw), "file_path", "path", "filename"); e.Path != "" && !c.failed() {
			out.Edits = []agent.Edit{e}
		} else {
			out.Reads = true
		}
	case "run_shell_command":
		out.Command = jsontext.ValidUTF8(c.args.Get("command").String())
		out.Background, out.Reads = c.args.Get("is_background").Bool(), out.Command == ""
	default:
		out.Starts, out.Files = c.agentID != "", jsontext.NamedFiles(c.args)
	}
	return out
}

// answer returns the result of the call: what the model received, or else what the person saw.
func (c *toolCall) answer() agent.Part {
	p := agent.Part{Kind: agent.ResultPart, CallID: c.id, Tool: c.name, Text: c.output(), Failed: c.failed(), Time: c.ended}
	if p.Text == "" {
		p.Text = jsontext.ValidUTF8(c.shown.String())
	}
	if c.agentID != "" {
		p.AgentIDs = []string{c.agentID}
	}
	if path, diff := c.shown.Get("filePath").Str, c.shown.Get("fileDiff").Str; path != "" && diff != "" && !c.failed() {
		p.Edits = []agent.Edit{base.EditOf(path, diff)}
	}
	return p
}

// output returns the call's result as the model received it.
func (c *toolCall) output() string {
	var texts []string
	take := func(part gjson.Result) {
		response := part.Get("functionResponse.response")
		text := agent.FirstString(response, "output", "error")
		switch {
		case part.Type == gjson.String:
			text = part.Str
		case text == "" && response.Exists():
			text = response.Raw
		case text == "":
			text = textPart(part).Text
		}
		if text != "" {
			texts = append(texts, jsontext.ValidUTF8(text))
		}
	}
	if c.result.IsArray() {
		c.result.ForEach(func(_, part gjson.Result) bool { take(part); return true })
	} else if c.result.Exists() && c.result.Type != gjson.Null {
		take(c.result)
	}
	return strings.Join(texts, "\n\n")
}

// Describing implements agent.CallDescriber.
func (Adapter) Describing(string) []string {
	return []string{"command", "description", "file_path", "path", "pattern"}
}

var _ agent.MessageReader = Adapter{}

// Saved implements agent.MessageReader: a line may set the messages anew.
func (Adapter) Saved(line []byte) []byte {
	if !bytes.Contains(line, []byte(`"$set"`)) {
		return nil
	}
	var m message
	if !m.scan(line) || m.kind != "" || m.backTo != "" {
		return nil
	}
	return m.saved
}

// Distinct implements agent.MessageReader.
func (Adapter) Distinct(text []byte) string {
	var m message
	m.scan(text)
	return m.id + "\x00" + m.kind + "\x00" + m.timestamp + "\x00" + string(m.content)
}

// CallLine implements agent.CallTeller. The transcript has the calls of an answer when all of them have ended.
func (Adapter) CallLine(ev agent.Event, id string) []byte {
	if !gjson.ValidBytes(ev.ToolInput) {
		return nil
	}
	status := "success"
	if ev.Type == agent.ToolStart {
		status = "executing"
	}
	call := `{"id":` + jsontext.Quote(id) + `,"name":` + jsontext.Quote(ev.ToolName) + `,"status":"` + status + `","args":` + string(jsontext.OneLine(ev.ToolInput)) + `}`
	return []byte(`{"id":` + jsontext.Quote(id) + `,"type":"gemini","content":"","toolCalls":[` + call + `]}`)
}
