package droid

import (
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
)

// reading are the tools that change no file of a worktree and that no other agent has.
const reading = " LS Read Grep Glob FetchUrl WebSearch TodoWrite ExitSpecMode ToolSearch AskUser Skill TaskOutput "

// Records implements agent.RecordReader. Messages that only droid's own display has, such as the results
// of hooks, say nothing.
func (Adapter) Records(line []byte) ([]agent.Record, bool) {
	v, ok := jsontext.ObjectIn(line)
	if !ok {
		return nil, false
	}
	if text(v, "type") == "session_start" && text(v, "callingSessionId") != "" {
		return []agent.Record{{Subagent: text(v, "id"), OwnTranscript: true}}, true
	}
	m := v.Get("message")
	if text(v, "type") != "message" || text(m, "visibility") == "user_only" {
		return nil, true
	}
	r := agent.Record{ID: text(v, "id"), Time: text(v, "timestamp"), Model: text(m, "modelId")}
	switch text(m, "role") {
	case "user":
		r.Role = agent.RoleUser
	case "assistant":
		r.Role, r.Answer = agent.RoleAssistant, text(m, "openaiMessageId")
	default:
		return nil, true
	}
	content := m.Get("content")
	if content.Type == gjson.String {
		r.Parts = []agent.Part{{Text: content.Str}}
	}
	content.ForEach(func(_, block gjson.Result) bool {
		if p, ok := partOf(block); ok && content.IsArray() {
			r.Parts = append(r.Parts, p)
		}
		return true
	})
	if r.Role == agent.RoleUser && len(r.Parts) > 0 {
		r.Injected = isNote(r.Parts[0].Text)
	}
	return []agent.Record{r}, true
}

// isNote reports whether a user's message is droid's own: a subagent in the background has ended.
func isNote(text string) bool {
	return strings.HasPrefix(text, "Background task completed.\ntask_id: ")
}

func text(v gjson.Result, key string) string {
	if m := v.Get(key); m.Type == gjson.String {
		return m.Str
	}
	return ""
}

func partOf(block gjson.Result) (agent.Part, bool) {
	switch text(block, "type") {
	case "text":
		return agent.Part{Text: text(block, "text")}, true
	case "thinking":
		return agent.Part{Kind: agent.ThoughtPart, Text: text(block, "thinking")}, true
	case "image":
		return agent.Part{Text: jsontext.Placeholder("image")}, true
	case "tool_use":
		return agent.Part{Kind: agent.CallPart, Call: callOf(block)}, true
	case "tool_result":
		return resultOf(block), true
	}
	return agent.Part{}, false
}

func callOf(block gjson.Result) agent.Call {
	in := block.Get("input")
	c := agent.Call{ToolUse: agent.ToolUse{ID: text(block, "id"), Name: text(block, "name")}}
	if in.IsObject() {
		c.Input = []byte(in.Raw)
	}
	path := agent.FirstString(in, "file_path", "path")
	switch c.Name {
	case "Create", "Write":
		c.Edits = []agent.Edit{{Path: path, Texts: some(agent.FirstString(in, "content", "file_text"))}}
	case "Edit":
		c.Edits = []agent.Edit{{Path: path, Texts: some(agent.FirstString(in, "new_str", "new_string")), Replaced: some(agent.FirstString(in, "old_str", "old_string"))}}
	case "MultiEdit":
		e := agent.Edit{Path: path}
		in.Get("changes").ForEach(func(_, change gjson.Result) bool {
			e.Texts = append(e.Texts, some(agent.FirstString(change, "new_str", "new_string"))...)
			e.Replaced = append(e.Replaced, some(agent.FirstString(change, "old_str", "old_string"))...)
			return true
		})
		c.Edits = []agent.Edit{e}
	case "ApplyPatch": // in the place of Create and Edit, for models of OpenAI
		c.Edits = base.PatchEdits(text(in, "input"), "")
	case "Execute":
		c.Command = text(in, "command")
		c.Background = in.Get("fireAndForget").Type == gjson.True || in.Get("background").Type == gjson.True
	case "Task":
		c.Starts = true
	default:
		c.Reads = strings.Contains(reading, " "+c.Name+" ")
		c.Files = jsontext.NamedFiles(in)
	}
	return c
}

func some(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// startedIn returns the subagent's session that a result names in its first lines, "" for none: in the
// foreground the result begins with it, in the background it follows the task.
func startedIn(text string) string {
	for n, line := range strings.SplitN(text, "\n", 4) {
		if aid, is := strings.CutPrefix(line, "session_id: "); is && (n == 0 || strings.HasPrefix(text, "Task launched in background.\n")) {
			if aid = strings.TrimSpace(aid); jsontext.IsSafeName(aid) {
				return aid
			}
		}
	}
	return ""
}

// resultOf returns the result of a call. That of an edit lists the lines of the file with what became of
// each; that of a subagent begins with the subagent's session.
func resultOf(block gjson.Result) agent.Part {
	p := agent.Part{Kind: agent.ResultPart, CallID: text(block, "tool_use_id"), Text: jsontext.TextOf(block.Get("content")),
		Failed: block.Get("is_error").Type == gjson.True}
	if aid := startedIn(p.Text); aid != "" {
		p.AgentIDs = []string{aid}
	}
	if !strings.HasPrefix(p.Text, "{") || !gjson.Valid(p.Text) {
		return p
	}
	outcome := gjson.Parse(p.Text)
	lines, path := outcome.Get("diffLines"), text(outcome, "file_path")
	if path == "" || !lines.IsArray() {
		return p
	}
	e := agent.Edit{Path: path}
	lines.ForEach(func(_, line gjson.Result) bool {
		switch text(line, "type") {
		case "added":
			e.Texts = append(e.Texts, text(line, "content")+"\n")
		case "removed":
			e.Replaced = append(e.Replaced, text(line, "content")+"\n")
		}
		return true
	})
	p.Edits = []agent.Edit{e}
	return p
}

// Recognises implements agent.Recogniser: the first line describes the session.
func (Adapter) Recognises(head []byte) bool {
	line, _, _ := strings.Cut(string(head), "\n")
	return gjson.Get(line, "type").String() == "session_start" && gjson.Get(line, "id").Exists()
}
