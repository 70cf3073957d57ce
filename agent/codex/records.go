package codex

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
)

// Records implements agent.RecordReader. Of the two kinds of lines that say the same, it reads the
// response items, which are what the model is sent.
func (Adapter) Records(line []byte) ([]agent.Record, bool) {
	v, ok := jsontext.ObjectIn(line)
	if !ok {
		return nil, false
	}
	r := agent.Record{Time: v.Get("timestamp").String()}
	p := v.Get("payload")
	switch v.Get("type").String() {
	case "session_meta":
		r.Version = p.Get("cli_version").String()
		if p.Get("source.subagent").Exists() {
			r.Subagent, r.OwnTranscript = p.Get("id").String(), true
		}
	case "turn_context":
		r.Model = p.Get("model").String()
	case "response_item":
		item(&r, p)
	case "event_msg":
		event(&r, p)
	case "token_usage_record":
		count(&r, p.Get("usage"), p.Get("thread_token_usage"))
	case "compacted":
		if said := p.Get("message").String(); said != "" {
			r.Role, r.Injected, r.Parts = agent.RoleUser, true, []agent.Part{{Text: said}}
		}
	}
	return []agent.Record{r}, true
}

// SessionIn implements agent.SessionTeller. An ID is a UUID, so that no other text has it.
func (Adapter) SessionIn(line []byte) string {
	v := gjson.ParseBytes(line)
	thread := v.Get("payload.id").String()
	if _, ok := timeIn(thread); !ok || v.Get("type").String() != "session_meta" {
		return ""
	}
	return thread
}

// Recognises implements agent.Recogniser: the first line describes the session.
func (Adapter) Recognises(head []byte) bool {
	first, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.Contains(first, []byte(`"session_meta"`)) && bytes.Contains(first, []byte(`"payload"`))
}

// item reads one item of the conversation.
func item(r *agent.Record, p gjson.Result) {
	kind := p.Get("type").String()
	switch {
	case kind == "message":
		message(r, p)
	case kind == "agent_message": // from another agent
		r.ID, r.Role, r.Injected = p.Get("id").String(), agent.RoleUser, true
		texts(r, p.Get("content"), nil)
	case kind == "reasoning":
		p.Get("summary").ForEach(func(_, one gjson.Result) bool {
			r.Parts = append(r.Parts, agent.Part{Kind: agent.ThoughtPart, Text: one.Get("text").String()})
			return true
		})
	case strings.HasSuffix(kind, "_call_output"):
		r.ID, r.Role = p.Get("id").String(), agent.RoleTool
		r.Parts = []agent.Part{resultOf(p)}
	case kind == "function_call" || kind == "custom_tool_call" || kind == "local_shell_call":
		r.ID, r.Role = p.Get("id").String(), agent.RoleAssistant
		r.Parts = []agent.Part{{Kind: agent.CallPart, Call: callOf(kind, p)}}
	}
}

// message reads a message. Those of other roles are instructions of Codex to the model.
func message(r *agent.Record, p gjson.Result) {
	switch p.Get("role").String() {
	case "assistant":
		r.ID, r.Role = p.Get("id").String(), agent.RoleAssistant
		texts(r, p.Get("content"), nil)
	case "user":
		r.ID, r.Role = p.Get("id").String(), agent.RoleUser
		var by []string
		p.Get("internal_chat_message_metadata_passthrough.content_item_metadata").ForEach(func(_, one gjson.Result) bool {
			by = append(by, one.Get("provenance.type").String())
			return true
		})
		typed := false
		texts(r, p.Get("content"), func(i int, text string) bool {
			own := i < len(by) && by[i] != "" && by[i] != "user" || isNote(text)
			typed = typed || !own
			return own
		})
		r.Injected = !typed
	}
}

// texts adds the texts of a message's content. Those that left reports are left out, unless all are.
func texts(r *agent.Record, content gjson.Result, left func(i int, text string) bool) {
	var kept, rest []agent.Part
	i := -1
	content.ForEach(func(_, one gjson.Result) bool {
		i++
		part := agent.Part{Text: one.Get("text").String()}
		switch kind := one.Get("type").String(); {
		case kind == "input_image":
			part.Text = jsontext.Placeholder("image")
		case part.Text == "":
			return true
		case left != nil && left(i, part.Text):
			rest = append(rest, part)
			return true
		}
		kept = append(kept, part)
		return true
	})
	if len(kept) == 0 {
		kept = rest
	}
	r.Parts = kept
}

// isNote reports whether a text is one that Codex sends in the user's name. Versions that say so in the
// message are newer than those that do not.
func isNote(text string) bool {
	text = strings.TrimSpace(text)
	for _, start := range []string{"<environment_context>", "<user_instructions>", "<turn_aborted>", "<skill>", "<subagent_notification>",
		"<user_shell_command>", "<collaboration_mode>", "<permissions instructions>", "# AGENTS.md instructions"} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// event reads a line about what happened. Usage comes after the answer that it is of; at the end of a turn
// an empty message takes that of the last answer.
func event(r *agent.Record, p gjson.Result) {
	switch p.Get("type").String() {
	case "token_count":
		count(r, p.Get("info.last_token_usage"), p.Get("info.total_token_usage"))
	case "task_complete":
		r.Role = agent.RoleAssistant
	case "turn_aborted":
		r.Role, r.Stopped = agent.RoleAssistant, true
	case "item_completed":
		one := p.Get("item")
		if inScript(r, one) {
			return
		}
		if one.Get("type").String() == "FileChange" && one.Get("status").String() == "completed" {
			r.Parts = []agent.Part{{Kind: agent.ResultPart, CallID: one.Get("id").String(), Tool: "apply_patch", Edits: changed(one.Get("changes"))}}
			return
		}
		aid := one.Get("agent_thread_id").String()
		if one.Get("type").String() == "SubAgentActivity" && one.Get("kind").String() == "started" && jsontext.IsSafeName(aid) {
			r.Parts = []agent.Part{{Kind: agent.ResultPart, CallID: one.Get("id").String(), AgentIDs: []string{aid}}}
		}
	}
}

// scriptCall begins the IDs of calls that a script of the model made (the tool exec, "code mode"). No other line tells them.
const scriptCall = "exec-"

// inScript reads a call of a script, which has ended; false for what is no such call.
func inScript(r *agent.Record, item gjson.Result) bool {
	id := item.Get("id").String()
	if !strings.HasPrefix(id, scriptCall) {
		return false
	}
	call := agent.Call{ToolUse: agent.ToolUse{ID: id}}
	result := agent.Part{Kind: agent.ResultPart, CallID: id, Failed: item.Get("status").String() != "completed"}
	switch item.Get("type").String() {
	case "FileChange":
		call.Name, call.Edits = "apply_patch", changed(item.Get("changes"))
		call.Input = json.RawMessage(jsontext.Quote(patchOf(item.Get("changes"))))
		result.Edits = call.Edits
		result.Text = item.Get("stdout").String()
	case "CommandExecution":
		call.Name, call.Command = "exec_command", commandLine(item.Get("command"))
		call.Input = json.RawMessage(`{"cmd":` + jsontext.Quote(call.Command) + `}`)
		result.Text = item.Get("aggregated_output").String()
	default:
		return false
	}
	r.ID, r.Role = id, agent.RoleAssistant
	result.Tool = call.Name
	r.Parts = []agent.Part{{Kind: agent.CallPart, Call: call}, result}
	return true
}

// patchOf returns the patch that made changes, as the tool apply_patch takes it.
func patchOf(changes gjson.Result) string {
	var b strings.Builder
	b.WriteString(beginPatch + "\n")
	changes.ForEach(func(path, v gjson.Result) bool {
		switch v.Get("type").String() {
		case "add":
			b.WriteString("*** Add File: " + path.String() + "\n")
			for line := range strings.Lines(v.Get("content").String()) {
				b.WriteString("+" + line)
			}
		case "delete":
			b.WriteString("*** Delete File: " + path.String() + "\n")
		case "update":
			b.WriteString("*** Update File: " + path.String() + "\n")
			if to := v.Get("move_path").String(); to != "" {
				b.WriteString("*** Move to: " + to + "\n")
			}
			b.WriteString(v.Get("unified_diff").String())
		}
		if text := b.String(); !strings.HasSuffix(text, "\n") {
			b.WriteString("\n")
		}
		return true
	})
	return b.String() + "*** End Patch"
}

// changed returns what a patch has changed, one edit for each file.
func changed(files gjson.Result) []agent.Edit {
	var out []agent.Edit
	files.ForEach(func(path, v gjson.Result) bool {
		name, content := path.String(), v.Get("content").String()
		switch v.Get("type").String() {
		case "add":
			out = append(out, agent.Edit{Path: name, Texts: []string{content}})
		case "delete":
			out = append(out, agent.Edit{Path: name, Replaced: []string{content}})
		case "update":
			if to := v.Get("move_path").String(); to != "" {
				name = to
			}
			out = append(out, base.EditOf(name, v.Get("unified_diff").String()))
		}
		return true
	})
	return out
}

// count adds what an answer consumed. Two kinds of lines report it, and one of them again and again: the
// thread's total after the answer names the answer. The input's tokens include the cached ones, the
// output's those of thoughts.
func count(r *agent.Record, last, total gjson.Result) {
	if !last.IsObject() || !total.IsObject() {
		return
	}
	of := func(name string) int { return jsontext.TokenCount(last.Get(name)) }
	read, written := of("cached_input_tokens"), of("cache_write_input_tokens")
	r.Answer = "total-" + strconv.Itoa(jsontext.TokenCount(total.Get("total_tokens")))
	r.Usage = &agent.TokenUsage{InputTokens: max(of("input_tokens")-read-written, 0), CacheReadTokens: read, CacheCreationTokens: written,
		OutputTokens: of("output_tokens"), ReasoningTokens: of("reasoning_output_tokens"), APICallCount: 1}
}
