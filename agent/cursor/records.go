package cursor

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
)

// reading are the tools that change no file of a worktree and that no other agent has.
const reading = " Read Grep Glob LS SemanticSearch WebFetch WebSearch ReadLints TodoWrite AskQuestion SwitchMode Await FetchMcpResource "

// Records implements agent.RecordReader. A transcript that this program keeps, for a session without
// one, has text and files in the line itself.
func (Adapter) Records(line []byte) ([]agent.Record, bool) {
	v, ok := jsontext.ObjectIn(line)
	if !ok {
		return nil, false
	}
	r := agent.Record{ID: text(v, "id"), Time: agent.FirstString(v, "timestamp", "time"), Model: text(v, "model")}
	switch {
	case text(v, "type") == "turn_ended":
		r.Stopped = text(v, "status") != "success"
		return []agent.Record{r}, true
	case text(v, "role") == agent.RoleUser, text(v, "role") == agent.RoleAssistant, text(v, "role") == agent.RoleTool:
		r.Role = text(v, "role")
	default:
		return nil, true
	}
	content := v.Get("message.content")
	if own := text(v, "text"); own != "" {
		r.Parts = append(r.Parts, agent.Part{Text: own})
	}
	if files := jsontext.NamedFiles(v); len(files) > 0 && !content.Exists() {
		r.Parts = append(r.Parts, agent.Part{Kind: agent.FilesPart, Files: files})
	}
	if content.Type == gjson.String {
		r.Parts = append(r.Parts, agent.Part{Text: said(r.Role, content.Str)})
	}
	if content.IsArray() {
		content.ForEach(func(_, block gjson.Result) bool {
			switch text(block, "type") {
			case "text":
				r.Parts = append(r.Parts, agent.Part{Text: said(r.Role, text(block, "text"))})
			case "thinking":
				r.Parts = append(r.Parts, agent.Part{Kind: agent.ThoughtPart, Text: agent.FirstString(block, "thinking", "text")})
			case "tool_use":
				r.Parts = append(r.Parts, agent.Part{Kind: agent.CallPart, Call: callOf(block)})
			case "tool_result":
				r.Parts = append(r.Parts, agent.Part{Kind: agent.ResultPart, CallID: text(block, "tool_use_id"), Text: jsontext.TextOf(block.Get("content")),
					Failed: block.Get("is_error").Type == gjson.True})
			}
			return true
		})
	}
	return []agent.Record{r}, true
}

func text(v gjson.Result, key string) string {
	if m := v.Get(key); m.Type == gjson.String {
		return m.Str
	}
	return ""
}

// said returns what a person typed in a user's text: what stands in <user_query>, if that is there;
// the rest is Cursor's.
func said(role, text string) string {
	_, query, begins := strings.Cut(text, "<user_query>")
	query, _, ends := strings.Cut(query, "</user_query>")
	if role != agent.RoleUser || !begins || !ends {
		return text
	}
	return strings.TrimSpace(query)
}

func callOf(block gjson.Result) agent.Call {
	in := block.Get("input")
	c := agent.Call{ToolUse: agent.ToolUse{ID: text(block, "id"), Name: text(block, "name")}}
	if c.Unnamed = c.ID == ""; c.Unnamed {
		sum := sha256.Sum256([]byte(block.Raw))
		c.ID = "call-" + hex.EncodeToString(sum[:8])
	}
	if in.IsObject() {
		c.Input = []byte(in.Raw)
	}
	path := jsontext.LocalPath(agent.FirstString(in, "path", "file_path", "target_file", "target_notebook"))
	switch c.Name {
	case "Write", "StrReplace", "Edit", "MultiEdit", "EditNotebook", "Delete":
		e := agent.Edit{Path: path}
		for _, key := range []string{"contents", "content", "new_string"} {
			if s := text(in, key); s != "" {
				e.Texts = append(e.Texts, s)
			}
		}
		if s := text(in, "old_string"); s != "" {
			e.Replaced = []string{s}
		}
		c.Edits = []agent.Edit{e}
	case "ApplyPatch": // the input is the patch, or an object that has it
		patch := in.Str
		if in.IsObject() {
			patch = agent.FirstString(in, "patch", "input")
		}
		c.Edits = base.PatchEdits(patch, "")
	case "Shell", "Bash", "run_terminal_cmd":
		c.Command = text(in, "command")
		c.Background = in.Get("is_background").Type == gjson.True || in.Get("run_in_background").Type == gjson.True
	case "Task", "Subagent":
		c.Starts = true
	default:
		c.Reads = strings.Contains(reading, " "+c.Name+" ")
		c.Files = jsontext.NamedFiles(in)
		for i, file := range c.Files {
			c.Files[i] = jsontext.LocalPath(file)
		}
	}
	return c
}

// Recognises implements agent.Recogniser: a line has a role and a message, and no session.
func (Adapter) Recognises(head []byte) bool {
	return jsontext.AnyLineHas(head, "role", "message.content") && !jsontext.AnyLineHas(head, "sessionId")
}
