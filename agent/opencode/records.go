package opencode

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
)

// shellTools returns the tools that run commands, of versions 1 and 2.
func shellTools() []string { return []string{"bash", "shell"} }

// changingTools returns the tools that may change files.
func changingTools() []string {
	return append(shellTools(), "write", "edit", "patch", "apply_patch", "multiedit")
}

// reads reports whether a tool changes no file.
func reads(tool string) bool {
	switch tool {
	case "read", "list", "glob", "grep", "webfetch", "websearch", "codesearch", "todowrite", "todoread", "skill", "question", "lsp":
		return true
	}
	return false
}

// Records implements agent.RecordReader: a line is one message, with the results of its calls.
func (Adapter) Records(line []byte) ([]agent.Record, bool) {
	if !gjson.ValidBytes(line) {
		return nil, false
	}
	v := gjson.ParseBytes(line)
	info := v.Get("info")
	if !info.IsObject() {
		return nil, v.IsObject()
	}
	r := agent.Record{ID: jsontext.StringIn(info.Get("id")), Version: jsontext.StringIn(v.Get("version")), Subagent: jsontext.StringIn(v.Get("subagent")), Time: timeOf(info.Get("time.created"))}
	switch info.Get("role").String() {
	case "user":
		r.Role = agent.RoleUser
		readUser(&r, v.Get("parts"))
	case "assistant":
		r.Role = agent.RoleAssistant
		r.Model, r.Answer = jsontext.StringIn(info.Get("modelID")), r.ID
		r.Stopped = info.Get("error.name").String() == "MessageAbortedError"
		readAnswer(&r, v.Get("parts"))
		r.Usage = usageOf(info, v.Get("parts"))
	default:
		return nil, true
	}
	return []agent.Record{r}, true
}

// readUser reads the parts of a user's message. Those that the agent's program made are read only
// where the person typed nothing.
func readUser(r *agent.Record, parts gjson.Result) {
	var made []agent.Part
	parts.ForEach(func(_, p gjson.Result) bool {
		text := jsontext.StringIn(p.Get("text"))
		switch {
		case p.Get("type").String() != "text" || text == "":
		case p.Get("synthetic").Bool() || p.Get("ignored").Bool():
			made = append(made, agent.Part{Kind: agent.TextPart, Text: text})
		default:
			r.Parts = append(r.Parts, agent.Part{Kind: agent.TextPart, Text: unquoted(text)})
		}
		return true
	})
	if len(r.Parts) == 0 {
		r.Parts, r.Injected = made, true
	}
}

func readAnswer(r *agent.Record, parts gjson.Result) {
	var results []agent.Part
	parts.ForEach(func(_, p gjson.Result) bool {
		switch p.Get("type").String() {
		case "text":
			r.Parts = append(r.Parts, agent.Part{Kind: agent.TextPart, Text: jsontext.StringIn(p.Get("text"))})
		case "reasoning":
			r.Parts = append(r.Parts, agent.Part{Kind: agent.ThoughtPart, Text: jsontext.StringIn(p.Get("text"))})
		case "tool":
			call, result := toolOf(p)
			r.Parts = append(r.Parts, call)
			if result.CallID != "" {
				results = append(results, result)
			}
		}
		return true
	})
	r.Parts = append(r.Parts, results...)
}

// toolOf returns a call and its result; a zero result for a call that has not ended.
func toolOf(p gjson.Result) (call, result agent.Part) {
	state := p.Get("state")
	input := state.Get("input")
	c := agent.Call{ToolUse: agent.ToolUse{ID: jsontext.StringIn(p.Get("callID")), Name: jsontext.StringIn(p.Get("tool"))}}
	if input.IsObject() {
		c.Input = json.RawMessage(jsontext.ValidUTF8(input.Raw))
	}
	changed := changedBy(state.Get("metadata"))
	switch file := jsontext.ValidUTF8(agent.FirstString(input, "filePath", "path")); c.Name {
	case "bash", "shell":
		c.Command = jsontext.StringIn(input.Get("command"))
	case "write":
		c.Edits = []agent.Edit{{Path: file, Texts: []string{jsontext.StringIn(input.Get("content"))}}}
	case "edit":
		e := agent.Edit{Path: file}
		addText(&e.Texts, input.Get("newString"))
		addText(&e.Replaced, input.Get("oldString"))
		c.Edits = []agent.Edit{e}
	case "patch", "apply_patch", "multiedit":
		c.Edits = changed
		if len(changed) == 0 && file != "" {
			c.Files = []string{file}
		}
	case "task", "subagent":
		c.Starts = true
	default:
		if c.Reads = reads(c.Name); !c.Reads && file != "" {
			c.Files = []string{file}
		}
	}
	if len(c.Edits) == 1 && c.Edits[0].Path == "" {
		c.Edits = nil
	}
	call = agent.Part{Kind: agent.CallPart, Call: c}
	status := state.Get("status").String()
	if status != "completed" && status != "error" {
		return call, agent.Part{}
	}
	result = agent.Part{Kind: agent.ResultPart, CallID: c.ID, Tool: c.Name, Text: jsontext.StringIn(state.Get("output")), Failed: status == "error", Edits: changed}
	if result.Failed {
		result.Text = jsontext.StringIn(state.Get("error"))
	}
	if child := agent.FirstString(state.Get("metadata"), "sessionId", "sessionID"); c.Starts && jsontext.IsSafeName(child) {
		result.AgentIDs = []string{child}
	}
	return call, result
}

// changedBy returns what a result says that the call changed, in whole lines: one difference, or one
// for each file.
func changedBy(metadata gjson.Result) []agent.Edit {
	var out []agent.Edit
	add := func(file, patch string) {
		if e := base.EditOf(file, patch); e.Path != "" && len(e.Texts)+len(e.Replaced) > 0 {
			out = append(out, e)
		}
	}
	if f := metadata.Get("filediff"); f.IsObject() {
		add(jsontext.StringIn(f.Get("file")), jsontext.StringIn(f.Get("patch")))
		return out
	}
	metadata.Get("files").ForEach(func(_, f gjson.Result) bool {
		add(jsontext.ValidUTF8(agent.FirstString(f, "filePath", "file", "relativePath")), jsontext.ValidUTF8(agent.FirstString(f, "patch", "diff")))
		return true
	})
	return out
}

// usageOf returns what an answer consumed: the sum of its steps, or what the message reports. The
// agent counts thoughts beside the rest of the output.
func usageOf(info, parts gjson.Result) *agent.TokenUsage {
	var sum agent.TokenUsage
	parts.ForEach(func(_, p gjson.Result) bool {
		if t := p.Get("tokens"); p.Get("type").String() == "step-finish" && t.IsObject() {
			sum = sum.Add(tokens(t))
		}
		return true
	})
	if t := info.Get("tokens"); sum.APICallCount == 0 && t.IsObject() {
		sum = tokens(t)
		if sum.Total() == 0 {
			return nil // the model did not answer
		}
	}
	if sum.APICallCount == 0 {
		return nil
	}
	return &sum
}

func tokens(t gjson.Result) agent.TokenUsage {
	return agent.TokenUsage{
		InputTokens:         jsontext.TokenCount(t.Get("input")),
		CacheCreationTokens: jsontext.TokenCount(t.Get("cache.write")),
		CacheReadTokens:     jsontext.TokenCount(t.Get("cache.read")),
		OutputTokens:        jsontext.TokenCount(t.Get("output")) + jsontext.TokenCount(t.Get("reasoning")),
		ReasoningTokens:     jsontext.TokenCount(t.Get("reasoning")),
		APICallCount:        1,
	}
}

// unquoted returns a prompt as the person typed it: `opencode run` puts an argument with a space in
// quotation marks.
func unquoted(text string) string {
	trimmed := strings.TrimSpace(text)
	inner, ok := strings.CutPrefix(trimmed, `"`)
	if !ok || len(trimmed) < 2 {
		return text
	}
	inner, ok = strings.CutSuffix(inner, `"`)
	plain := strings.ReplaceAll(inner, `\"`, "")
	if !ok || strings.HasSuffix(inner, `\`) || strings.Contains(plain, `"`) || !strings.Contains(inner, " ") {
		return text
	}
	return strings.ReplaceAll(inner, `\"`, `"`)
}

func addText(to *[]string, v gjson.Result) {
	if s := jsontext.StringIn(v); s != "" {
		*to = append(*to, s)
	}
}

// timeOf returns a number of milliseconds as a time, "" for none.
func timeOf(v gjson.Result) string {
	if v.Type != gjson.Number || v.Num <= 0 || v.Num > 1e14 {
		return ""
	}
	return time.UnixMilli(v.Int()).UTC().Format(time.RFC3339Nano)
}
