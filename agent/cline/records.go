package cline

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
)

// Records implements agent.RecordReader: a line is one message.
func (Adapter) Records(line []byte) ([]agent.Record, bool) {
	if !gjson.ValidBytes(line) {
		return nil, false
	}
	v := gjson.ParseBytes(line)
	if !v.IsObject() {
		return nil, false
	}
	r := recordOf(v.Get("message"))
	if r.Role == "" {
		return nil, true
	}
	r.Version, r.Subagent = jsontext.StringIn(v.Get("version")), jsontext.StringIn(v.Get("subagent"))
	return []agent.Record{r}, true
}

func recordOf(m gjson.Result) agent.Record {
	r := agent.Record{ID: jsontext.StringIn(m.Get("id"))}
	if at := m.Get("ts"); at.Type == gjson.Number && at.Num > 0 && at.Num < 1e14 {
		r.Time = time.UnixMilli(at.Int()).UTC().Format(time.RFC3339Nano)
	}
	switch m.Get("role").String() {
	case "user":
		r.Role, r.Injected = agent.RoleUser, true
	case "assistant":
		r.Role = agent.RoleAssistant
		r.Model, r.Answer = jsontext.StringIn(m.Get("modelInfo.id")), r.ID
		r.Usage = usageOf(m.Get("metrics"))
	default:
		return agent.Record{}
	}
	content := m.Get("content")
	if s := jsontext.StringIn(content); s != "" {
		addText(&r, s)
	}
	content.ForEach(func(_, b gjson.Result) bool {
		switch b.Get("type").String() {
		case "text":
			addText(&r, jsontext.StringIn(b.Get("text")))
		case "thinking":
			r.Parts = append(r.Parts, agent.Part{Kind: agent.ThoughtPart, Text: jsontext.StringIn(b.Get("thinking"))})
		case "tool_use":
			r.Parts = append(r.Parts, agent.Part{Kind: agent.CallPart, Call: callOf(b)})
		case "tool_result":
			r.Parts = append(r.Parts, resultOf(b))
		}
		return true
	})
	return r
}

// addText adds a text. In a user's message only what is in <user_input> was typed by a person; there the
// rest is left out.
func addText(r *agent.Record, text string) {
	if r.Role == agent.RoleUser {
		if typed, ok := userInput(text); ok {
			if r.Injected { // until now there were only the notes of Cline
				r.Injected, r.Parts = false, nil
			}
			text = typed
		} else if !r.Injected {
			return
		}
	}
	if text != "" {
		r.Parts = append(r.Parts, agent.Part{Kind: agent.TextPart, Text: text})
	}
}

// userInput returns what a person typed, without the tag around it.
func userInput(text string) (string, bool) {
	_, rest, ok := strings.Cut(text, "<user_input")
	if !ok {
		return "", false
	}
	_, rest, ok = strings.Cut(rest, ">")
	end := strings.LastIndex(rest, "</user_input>")
	if !ok || end < 0 {
		return "", false
	}
	return strings.TrimSpace(rest[:end]), true
}

func callOf(b gjson.Result) agent.Call {
	c := agent.Call{ToolUse: agent.ToolUse{ID: jsontext.StringIn(b.Get("id")), Name: jsontext.StringIn(b.Get("name"))}}
	input := b.Get("input")
	if input.IsObject() || input.Type == gjson.String {
		c.Input = json.RawMessage(jsontext.ValidUTF8(input.Raw))
	}
	switch file := jsontext.StringIn(input.Get("path")); c.Name {
	case "editor":
		e := agent.Edit{Path: file}
		if s := jsontext.StringIn(input.Get("new_text")); s != "" {
			e.Texts = []string{s}
		}
		if s := jsontext.StringIn(input.Get("old_text")); s != "" {
			e.Replaced = []string{s}
		}
		if file != "" {
			c.Edits = []agent.Edit{e}
		}
	case "apply_patch": // for models of OpenAI; the whole input, or a member of it
		c.Edits = base.PatchEdits(input.Str+jsontext.StringIn(input.Get("input")), "")
	case "run_commands":
		var commands []string
		input.Get("commands").ForEach(func(_, one gjson.Result) bool {
			commands = append(commands, jsontext.StringIn(one))
			return true
		})
		c.Command = strings.Join(commands, "\n")
	case "spawn_agent":
		c.Starts = true
	case "read_files", "search_codebase", "search_files", "list_files", "fetch_web_content", "ask_question", "submit_and_exit", "skills":
		c.Reads = true
	default:
		if file != "" {
			c.Files = []string{file}
		}
	}
	return c
}

func resultOf(b gjson.Result) agent.Part {
	content := b.Get("content")
	p := agent.Part{Kind: agent.ResultPart, CallID: jsontext.StringIn(b.Get("tool_use_id")), Tool: jsontext.StringIn(b.Get("name")), Failed: b.Get("is_error").Bool(), Text: jsontext.TextOf(content)}
	if p.Text == "" && content.IsArray() {
		p.Text = jsontext.ValidUTF8(content.Raw)
	}
	if result := gjson.Parse(jsontext.StringIn(content)); result.IsObject() {
		p.Failed = p.Failed || result.Get("success").Type == gjson.False
		if p.Tool == "editor" && !p.Failed {
			p.Edits = editsShown(jsontext.StringIn(result.Get("result")))
		}
	}
	return p
}

// editsShown returns what the editor says that it did to a file, whose whole path it names. It does not write anew a
// file that is there.
func editsShown(result string) []agent.Edit {
	if path, ok := strings.CutPrefix(result, "File created successfully at: "); ok {
		return []agent.Edit{{Path: path, AllNew: true}}
	}
	if _, place, ok := strings.Cut(result, " in "); ok && strings.HasPrefix(result, "Inserted content at line ") {
		return []agent.Edit{{Path: strings.TrimSuffix(place, "."), AllNew: true}}
	}
	head, diff, ok := strings.Cut(result, "\n```diff\n")
	path, edited := strings.CutPrefix(head, "Edited ")
	if !ok || !edited || strings.Contains(path, "\n") {
		return nil
	}
	var added, removed strings.Builder
	for line := range strings.Lines(strings.TrimSuffix(diff, "```")) {
		switch _, text, numbered := strings.Cut(line, ": "); {
		case !numbered: // the lines of a file have no other ends within
			return nil
		case line[0] == '+':
			added.WriteString(text)
		case line[0] == '-':
			removed.WriteString(text)
		default:
			return nil
		}
	}
	e := agent.Edit{Path: path}
	if added.Len() > 0 {
		e.Texts = []string{added.String()}
	}
	if removed.Len() > 0 {
		e.Replaced = []string{removed.String()}
	}
	return []agent.Edit{e}
}

func usageOf(m gjson.Result) *agent.TokenUsage {
	if !m.IsObject() {
		return nil
	}
	u := agent.TokenUsage{
		CacheCreationTokens: jsontext.TokenCount(m.Get("cacheWriteTokens")),
		CacheReadTokens:     jsontext.TokenCount(m.Get("cacheReadTokens")),
		OutputTokens:        jsontext.TokenCount(m.Get("outputTokens")),
		APICallCount:        1,
	}
	u.InputTokens = max(0, jsontext.TokenCount(m.Get("inputTokens"))-u.CacheReadTokens)
	if u.Total() == 0 {
		return nil
	}
	return &u
}
