package claude

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
	"entire/agent/internal/payload"
)

// Parts returns the parts of a message's raw content, which must be valid JSON: a string, or an array of
// blocks. Blocks of unknown kinds become a placeholder.
func Parts(content []byte) []agent.Part { return parts(content, false) }

// parts is Parts, or with outline only what agent.Outliner asks for.
func parts(content []byte, outline bool) []agent.Part {
	if jsontext.At(content, 0) == '"' {
		if outline {
			return []agent.Part{{}}
		}
		return []agent.Part{{Text: jsontext.Unquote(content)}}
	}
	var out []agent.Part
	jsontext.WalkItems(content, 0, func(at int) int {
		switch jsontext.At(content, at) {
		case '{':
			var b block
			end := jsontext.WalkValues(content, at, b.take)
			p, ok := b.outline()
			if !outline {
				p, ok = b.part()
			}
			if ok {
				out = append(out, p)
			}
			return end
		case '"':
			end := jsontext.SkipValue(content, at)
			out = append(out, agent.Part{Kind: agent.OtherPart, Text: jsontext.Unquote(content[at:end])})
			return end
		}
		return jsontext.SkipValue(content, at)
	})
	return out
}

// block is one block of a message's content; its members are raw.
type block struct {
	kind                                                    string
	id, name, input, text, callID, content, failed, thought []byte
}

func (b *block) take(key, value []byte) {
	switch string(key) {
	case "type":
		b.kind = jsontext.Unquote(value)
	case "id":
		b.id = value
	case "name":
		b.name = value
	case "input":
		b.input = value
	case "text":
		b.text = value
	case "thinking":
		b.thought = value
	case "tool_use_id":
		b.callID = value
	case "content":
		b.content = value
	case "is_error":
		b.failed = value
	}
}

// part returns a block as a part; false for a thought that cannot be read.
func (b *block) part() (agent.Part, bool) {
	switch {
	case b.kind == "text" || b.kind == "":
		return agent.Part{Text: jsontext.Unquote(b.text)}, true
	case b.kind == "thinking":
		return agent.Part{Kind: agent.ThoughtPart, Text: jsontext.Unquote(b.thought)}, true
	case strings.HasSuffix(b.kind, "thinking"):
		return agent.Part{}, false
	case strings.HasSuffix(b.kind, "tool_use"):
		return agent.Part{Kind: agent.CallPart, Call: b.call()}, true
	case strings.HasSuffix(b.kind, "tool_result"):
		return agent.Part{Kind: agent.ResultPart, CallID: jsontext.Unquote(b.callID), Text: resultText(b.content), Failed: string(b.failed) == "true"}, true
	}
	return agent.Part{Kind: agent.OtherPart, Text: jsontext.Placeholder(b.kind)}, true
}

// outline returns only what kind of part a block is, and the ID of its call.
func (b *block) outline() (agent.Part, bool) {
	switch {
	case strings.HasSuffix(b.kind, "tool_use"):
		return agent.Part{Kind: agent.CallPart, Call: agent.Call{ToolUse: agent.ToolUse{ID: jsontext.Unquote(b.id)}}}, true
	case strings.HasSuffix(b.kind, "tool_result"):
		return agent.Part{Kind: agent.ResultPart, CallID: jsontext.Unquote(b.callID)}, true
	case strings.HasSuffix(b.kind, "thinking"):
		return agent.Part{Kind: agent.ThoughtPart}, b.kind == "thinking"
	}
	kind := agent.OtherPart
	if b.kind == "text" || b.kind == "" {
		kind = agent.TextPart
	}
	return agent.Part{Kind: kind}, true
}

// call returns a call, with what it means for files.
func (b *block) call() agent.Call {
	c := agent.Call{ToolUse: agent.ToolUse{ID: jsontext.Unquote(b.id), Name: jsontext.Unquote(b.name), Input: jsontext.OneLine(b.input)}}
	switch c.Name {
	case "Write", "Edit", "MultiEdit", "NotebookEdit", "mcp__acp__Write", "mcp__acp__Edit":
		c.Edits = []agent.Edit{base.EditIn(b.input, "file_path", "notebook_path")}
	case "Bash":
		jsontext.EachMember(b.input, func(key, value []byte) {
			switch string(key) {
			case "command":
				c.Command = jsontext.Unquote(value)
			case "run_in_background":
				c.Background = string(value) == "true"
			}
		})
		c.Reads = c.Command == ""
	case "Task", "Agent":
		c.Starts = true
	default:
		input := gjson.ParseBytes(b.input)
		if patch := input.Get("input"); c.Name == "apply_patch" && patch.Type == gjson.String {
			c.Edits = base.PatchEdits(jsontext.ValidUTF8(patch.Str), "")
		}
		c.Reads, c.Files = b.kind == "server_tool_use", jsontext.NamedFiles(input)
	}
	return c
}

// resultText returns a tool's result as text: a string, the joined texts of a list, or the
// raw JSON of anything else.
func resultText(raw []byte) string {
	switch jsontext.At(raw, 0) {
	case '"':
		return jsontext.Unquote(raw)
	case '[':
		var texts []string
		for _, p := range Parts(raw) {
			if (p.Kind == agent.TextPart || p.Kind == agent.OtherPart) && p.Text != "" {
				texts = append(texts, p.Text)
			}
		}
		return strings.Join(texts, "\n\n")
	case '{':
		return jsontext.ValidUTF8(string(raw))
	}
	return ""
}

// addOutcome adds to the results in parts what the program notes about a result: the subagent, and the lines
// that an edit changed. An edit belongs to the last result.
func addOutcome(parts []agent.Part, o *outcome, content []byte) {
	var first, last *agent.Part
	named := bytes.Contains(content, []byte(payload.AgentIDMark))
	for i := range parts {
		p := &parts[i]
		if p.Kind != agent.ResultPart {
			continue
		}
		if last = p; first == nil {
			first = p
		}
		if named {
			p.AgentIDs = agentIDs(payload.AgentIDIn(p.Text))
		}
	}
	if first == nil {
		return
	}
	if id := agentIDs(jsontext.Unquote(o.agentID)); id != nil && !slices.Equal(id, first.AgentIDs) {
		first.AgentIDs = append(id, first.AgentIDs...)
	}
	if o.patch != nil && len(o.path) > 2 {
		last.Edits = []agent.Edit{o.edit()}
	}
}

// agentIDs returns an ID as a list, none for one that is not a plain word.
func agentIDs(id string) []string {
	if !jsontext.IsSafeName(id) {
		return nil
	}
	return []string{id}
}

// outcome is what the program notes about a result; its members are raw.
type outcome struct{ agentID, path, kind, content, patch []byte }

func (o *outcome) take(key, value []byte) {
	switch string(key) {
	case "agentId":
		o.agentID = value
	case "filePath":
		o.path = value
	case "type":
		o.kind = value
	case "content":
		o.content = value
	case "structuredPatch":
		o.patch = value
	}
}

// edit returns what an edit changed: the content of a new file, or the lines of the hunks.
func (o *outcome) edit() agent.Edit {
	e := agent.Edit{Path: jsontext.Unquote(o.path)}
	if string(o.kind) == `"create"` {
		if text := jsontext.Unquote(o.content); text != "" {
			e.Texts = []string{text}
		}
		return e
	}
	var added, removed strings.Builder
	jsontext.WalkItems(o.patch, 0, func(at int) int {
		if jsontext.At(o.patch, at) != '{' {
			return jsontext.SkipValue(o.patch, at)
		}
		return jsontext.Walk(o.patch, at, func(key []byte, at int) int {
			if string(key) == "lines" && jsontext.At(o.patch, at) == '[' {
				return jsontext.WalkItems(o.patch, at, func(at int) int { return changed(o.patch, at, &added, &removed) })
			}
			return jsontext.SkipValue(o.patch, at)
		})
	})
	if added.Len() > 0 {
		e.Texts = []string{added.String()}
	}
	if removed.Len() > 0 {
		e.Replaced = []string{removed.String()}
	}
	return e
}

// changed adds the line of a hunk that begins at from to those that were added or removed, and returns the
// offset after it.
func changed(hunk []byte, from int, added, removed *strings.Builder) int {
	end := jsontext.SkipValue(hunk, from)
	if end < 0 || hunk[from] != '"' || hunk[from+1] == ' ' {
		return end
	}
	switch text := jsontext.Unquote(hunk[from:end]); {
	case strings.HasPrefix(text, "+"):
		added.WriteString(text[1:] + "\n")
	case strings.HasPrefix(text, "-"):
		removed.WriteString(text[1:] + "\n")
	}
	return end
}
