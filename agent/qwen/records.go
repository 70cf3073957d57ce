package qwen

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
)

// quiet are the tools that change no file and that no other agent has.
const quiet = " todo_write task_stop send_message skill lsp tool_search ask_user_question exit_plan_mode cron_list "

// Records implements agent.RecordReader. Lines of the kind system are Qwen Code's own notes: what they
// say of a subagent's tokens is also in its transcript.
func (Adapter) Records(line []byte) ([]agent.Record, bool) {
	if !gjson.ValidBytes(line) {
		return nil, false
	}
	text := jsontext.ValidUTF8(string(line))
	v := gjson.Parse(text)
	if !v.IsObject() {
		return nil, false
	}
	r := agent.Record{ID: v.Get("uuid").String(), Parent: v.Get("parentUuid").String(), Time: v.Get("timestamp").String(), Version: v.Get("version").String()}
	r.NoParent = r.Parent == ""
	if v.Get("isSidechain").Type == gjson.True {
		r.Subagent = v.Get("agentId").String()
		if r.Subagent == "" {
			r.Subagent = agent.StrayChain
		}
	}
	switch v.Get("type").String() {
	case "user":
		r.Role = agent.RoleUser
		by := v.Get("provenance").String()
		r.Injected = by != "" && by != "real_user" || v.Get("subtype").String() != ""
	case "assistant":
		r.Role = agent.RoleAssistant
		r.Model, r.Answer, r.Usage = v.Get("model").String(), r.ID, usageOf(v.Get("usageMetadata"))
	case "tool_result":
		r.Role = agent.RoleTool
	}
	if r.Role != "" {
		v.Get("message.parts").ForEach(func(_, part gjson.Result) bool {
			if p, ok := partOf(part, v.Get("toolCallResult")); ok {
				r.Parts = append(r.Parts, p)
			}
			return true
		})
	}
	return []agent.Record{r}, true
}

// usageOf returns the usage of an answer: the prompt's tokens include those from the cache, and
// the thoughts are in the total, whether or not the answer's own count has them.
func usageOf(v gjson.Result) *agent.TokenUsage {
	if !v.IsObject() {
		return nil
	}
	count := func(name string) int { return jsontext.TokenCount(v.Get(name)) }
	prompt, cached, said := count("promptTokenCount"), count("cachedContentTokenCount"), count("candidatesTokenCount")
	if all := count("totalTokenCount"); all > prompt {
		said = max(said, all-prompt)
	}
	return &agent.TokenUsage{InputTokens: max(prompt-cached, 0), CacheReadTokens: min(cached, prompt), OutputTokens: said,
		ReasoningTokens: min(count("thoughtsTokenCount"), said), APICallCount: 1}
}

func partOf(part, outcome gjson.Result) (agent.Part, bool) {
	call, result, said := part.Get("functionCall"), part.Get("functionResponse"), part.Get("text")
	switch {
	case call.IsObject():
		return agent.Part{Kind: agent.CallPart, Call: callOf(call)}, true
	case result.IsObject():
		return resultOf(result, outcome), true
	case said.Type == gjson.String && part.Get("thought").Type == gjson.True:
		return agent.Part{Kind: agent.ThoughtPart, Text: said.Str}, true
	case said.Type == gjson.String:
		return agent.Part{Text: said.Str}, true
	case part.Get("inlineData").Exists() || part.Get("fileData").Exists():
		kind, _, _ := strings.Cut(part.Get("inlineData.mimeType").String()+part.Get("fileData.mimeType").String(), "/")
		return agent.Part{Text: jsontext.Placeholder(kind)}, true
	}
	return agent.Part{}, false
}

func callOf(v gjson.Result) agent.Call {
	c := agent.Call{ToolUse: agent.ToolUse{ID: v.Get("id").String(), Name: v.Get("name").String()}}
	args := v.Get("args")
	if !args.IsObject() {
		return c
	}
	c.Input = json.RawMessage(args.Raw)
	path := args.Get("file_path").String()
	switch c.Name {
	case "write_file":
		c.Edits = []agent.Edit{{Path: path, Texts: []string{args.Get("content").String()}}}
	case "edit", "replace":
		e := agent.Edit{Path: path}
		if text := args.Get("new_string").String(); text != "" {
			e.Texts = []string{text}
		}
		if text := args.Get("old_string").String(); text != "" {
			e.Replaced = []string{text}
		}
		c.Edits = []agent.Edit{e}
	case shellTool:
		c.Command, c.Background = args.Get("command").String(), args.Get("is_background").Type == gjson.True
	case subagentTool, "task":
		c.Starts = true
	default:
		c.Reads = strings.Contains(quiet, " "+c.Name+" ")
		if path != "" {
			c.Files = []string{path}
		}
	}
	return c
}

// resultOf returns the result of a call. outcome is what Qwen Code itself notes about it.
func resultOf(v, outcome gjson.Result) agent.Part {
	response := v.Get("response")
	p := agent.Part{Kind: agent.ResultPart, CallID: v.Get("id").String(), Tool: v.Get("name").String(), Text: agent.FirstString(response, "output", "error")}
	if p.Text == "" && response.Exists() {
		p.Text = response.Raw
	}
	p.Failed = response.Get("error").Exists() || outcome.Get("status").String() == "error"
	shown := outcome.Get("resultDisplay")
	if shown.Get("type").String() == "task_execution" {
		if aid := shown.Get("subagentName").String() + "-" + p.CallID; jsontext.IsSafeName(aid) {
			p.AgentIDs = []string{aid}
		}
	}
	if path, diff := shown.Get("filePath").String(), shown.Get("fileDiff").String(); path != "" && diff != "" {
		p.Edits = []agent.Edit{base.EditOf(path, diff)}
	}
	return p
}

// Recognises implements agent.Recogniser: a line with a message in parts names its session.
func (Adapter) Recognises(head []byte) bool {
	return jsontext.AnyLineHas(head, "sessionId", "uuid", "message.parts")
}
