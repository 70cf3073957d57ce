package pi

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

// shellTools are the tools that run commands; the second one is for Windows.
var shellTools = []string{"bash", "powershell"}

// Records implements agent.RecordReader: a line is one message, or says what happened to the conversation. The calls that a
// tool made itself, and what its own models consumed, are in the line of the tool's result.
func (Adapter) Records(line []byte) ([]agent.Record, bool) {
	if !gjson.ValidBytes(line) {
		return nil, false
	}
	v := gjson.ParseBytes(line)
	if !v.IsObject() {
		return nil, false
	}
	r := agent.Record{ID: jsontext.StringIn(v.Get("id")), Parent: jsontext.StringIn(v.Get("parentId")), Time: jsontext.StringIn(v.Get("timestamp"))}
	r.NoParent = v.Get("parentId").Type == gjson.Null && v.Get("parentId").Exists()
	switch v.Get("type").String() {
	case "session":
		return nil, true // its id is the session's
	case "model_change":
		r.Model = jsontext.StringIn(v.Get("modelId"))
	case "usage":
		r.Usage, r.Answer = usageOf(v.Get("usage")), r.ID
	case "message":
		m := v.Get("message")
		readMessage(&r, m)
		if r.Role == agent.RoleTool {
			return withNested(r, m), true
		}
	case "compaction", "branch_summary":
		r.Role, r.Injected = agent.RoleUser, true
		addText(&r, jsontext.StringIn(v.Get("summary")))
		return []agent.Record{r, spent(r, v)}, true
	case "custom_message":
		r.Role, r.Injected = agent.RoleUser, true
		addText(&r, jsontext.TextOf(v.Get("content")))
	}
	if r.ID == "" && r.Role == "" {
		return nil, true
	}
	return []agent.Record{r}, true
}

func readMessage(r *agent.Record, m gjson.Result) {
	switch m.Get("role").String() {
	case "user":
		r.Role = agent.RoleUser
		addText(r, jsontext.TextOf(m.Get("content")))
	case "assistant":
		r.Role = agent.RoleAssistant
		r.Model, r.Answer = jsontext.StringIn(m.Get("model")), r.ID
		r.Stopped = m.Get("stopReason").String() == "aborted"
		m.Get("content").ForEach(func(_, b gjson.Result) bool {
			switch b.Get("type").String() {
			case "text":
				addText(r, jsontext.StringIn(b.Get("text")))
			case "thinking":
				r.Parts = append(r.Parts, agent.Part{Kind: agent.ThoughtPart, Text: jsontext.StringIn(b.Get("thinking"))})
			case "toolCall":
				r.Parts = append(r.Parts, agent.Part{Kind: agent.CallPart, Call: callOf(b)})
			}
			return true
		})
		r.Usage = usageOf(m.Get("usage"))
	case "toolResult":
		r.Role = agent.RoleTool
		r.Parts = []agent.Part{{Kind: agent.ResultPart, CallID: jsontext.StringIn(m.Get("toolCallId")), Tool: jsontext.StringIn(m.Get("toolName")),
			Text: jsontext.TextOf(m.Get("content")), Failed: m.Get("isError").Bool()}}
		r.Parts[0].Edits = editsOf(r.Parts[0].Text, jsontext.StringIn(m.Get("details.diff")))
	case "bashExecution": // a command that the person ran in pi
		r.Role, r.Injected = agent.RoleUser, true
		addText(r, "!"+jsontext.StringIn(m.Get("command"))+"\n"+jsontext.StringIn(m.Get("output")))
	case "compactionSummary", "branchSummary", "custom", "hookMessage":
		r.Role, r.Injected = agent.RoleUser, true
		addText(r, jsontext.StringIn(m.Get("summary"))+jsontext.TextOf(m.Get("content")))
	}
}

// spent returns the record of the usage that a line has beside its message: that of a summary, or of a tool's models.
func spent(r agent.Record, v gjson.Result) agent.Record {
	out := agent.Record{Time: r.Time, Usage: usageOf(v.Get("usage"))}
	if r.ID != "" {
		out.Answer = r.ID + "/usage"
	}
	return out
}

// withNested returns the records of a tool's result m: r, after the calls that the tool made, such as those of a script.
func withNested(r agent.Record, m gjson.Result) []agent.Record {
	nested := agent.Record{Role: agent.RoleAssistant, Parent: r.Parent, NoParent: r.NoParent, Time: r.Time}
	m.Get("nestedCalls.calls").ForEach(func(_, b gjson.Result) bool {
		call := callOf(b)
		nested.Parts = append(nested.Parts, agent.Part{Kind: agent.CallPart, Call: call},
			agent.Part{Kind: agent.ResultPart, CallID: call.ID, Tool: call.Name, Text: jsontext.StringIn(b.Get("error")), Failed: b.Get("status").String() == "error"})
		return true
	})
	if len(nested.Parts) == 0 || r.ID == "" {
		return []agent.Record{r, spent(r, m)}
	}
	nested.ID = r.ID + "/calls"
	r.Parent, r.NoParent = nested.ID, false
	return []agent.Record{nested, r, spent(r, m)}
}

// CallLine implements agent.CallTeller: the transcript has the calls of a script when the script has ended.
func (Adapter) CallLine(ev agent.Event, id string) []byte {
	if !gjson.ValidBytes(ev.ToolInput) {
		return nil
	}
	call := `{"type":"toolCall","status":"ok","id":` + jsontext.Quote(id) + `,"name":` + jsontext.Quote(ev.ToolName) + `,"arguments":` + string(jsontext.OneLine(ev.ToolInput)) + `}`
	if ev.Type == agent.ToolStart {
		return []byte(`{"type":"message","message":{"role":"assistant","content":[` + call + `]}}`)
	}
	return []byte(`{"type":"message","id":` + jsontext.Quote(id) + `,"message":{"role":"toolResult","nestedCalls":{"calls":[` + call + `]}}}`)
}

func callOf(b gjson.Result) agent.Call {
	c := agent.Call{ToolUse: agent.ToolUse{ID: jsontext.StringIn(b.Get("id")), Name: jsontext.StringIn(b.Get("name"))}}
	input := b.Get("arguments")
	if input.IsObject() {
		c.Input = json.RawMessage(jsontext.ValidUTF8(input.Raw))
	}
	switch file := jsontext.StringIn(input.Get("path")); c.Name {
	case shellTools[0], shellTools[1]:
		c.Command = jsontext.StringIn(input.Get("command"))
	case "write":
		c.Edits = editOf(agent.Edit{Path: file, Texts: []string{jsontext.StringIn(input.Get("content"))}})
	case "edit":
		e := agent.Edit{Path: file}
		add := func(v gjson.Result) {
			if s := jsontext.StringIn(v.Get("newText")); s != "" {
				e.Texts = append(e.Texts, s)
			}
			if s := jsontext.StringIn(v.Get("oldText")); s != "" {
				e.Replaced = append(e.Replaced, s)
			}
		}
		add(input)
		input.Get("edits").ForEach(func(_, one gjson.Result) bool {
			add(one)
			return true
		})
		c.Edits = editOf(e)
	case "read", "grep", "find", "ls":
		c.Reads = true
	default:
		if file != "" {
			c.Files = []string{file}
		}
	}
	return c
}

func editOf(e agent.Edit) []agent.Edit {
	if e.Path == "" {
		return nil
	}
	return []agent.Edit{e}
}

// editsOf returns the whole lines that a result's difference adds and removes. Each of its lines begins
// with a sign and a number. The result's text ends with the file.
func editsOf(result, diff string) []agent.Edit {
	_, file, _ := strings.Cut(result, " in ")
	e := agent.Edit{Path: strings.TrimSuffix(strings.TrimSpace(file), ".")}
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] != '+' && line[0] != '-' {
			continue
		}
		_, text, ok := strings.Cut(strings.TrimLeft(line[1:], " "), " ")
		switch {
		case !ok:
		case line[0] == '+':
			e.Texts = append(e.Texts, text+"\n") // an empty line, too
		default:
			e.Replaced = append(e.Replaced, text+"\n")
		}
	}
	if len(e.Texts)+len(e.Replaced) == 0 {
		return nil
	}
	return []agent.Edit{e}
}

func usageOf(u gjson.Result) *agent.TokenUsage {
	if !u.IsObject() {
		return nil
	}
	out := agent.TokenUsage{
		InputTokens:         jsontext.TokenCount(u.Get("input")),
		CacheCreationTokens: jsontext.TokenCount(u.Get("cacheWrite")),
		CacheReadTokens:     jsontext.TokenCount(u.Get("cacheRead")),
		OutputTokens:        jsontext.TokenCount(u.Get("output")),
		APICallCount:        1,

		CacheCreationHourTokens: jsontext.TokenCount(u.Get("cacheWrite1h")),
		ReasoningTokens:         jsontext.TokenCount(u.Get("reasoning")),
	}
	if out.Total() == 0 {
		return nil // the model did not answer
	}
	return &out
}

func addText(r *agent.Record, text string) {
	if text != "" {
		r.Parts = append(r.Parts, agent.Part{Kind: agent.TextPart, Text: text})
	}
}
