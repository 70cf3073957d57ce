package codex

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
)

// quiet are the tools that change no file. What is typed into a program that runs (write_stdin) is not
// among them.
const quiet = " update_plan view_image read_file list_dir grep_files wait wait_agent send_input send_message followup_task close_agent resume_agent list_agents interrupt_agent request_user_input web_search tool_search list_mcp_resources read_mcp_resource "

// callOf returns a call. Its arguments are a JSON text or, for a custom tool, any text.
func callOf(kind string, p gjson.Result) agent.Call {
	c := agent.Call{ToolUse: agent.ToolUse{ID: p.Get("call_id").String(), Name: p.Get("name").String()}}
	raw := p.Get("arguments").String()
	switch kind {
	case "local_shell_call":
		c.Name, raw = "local_shell", p.Get("action").Raw
	case "custom_tool_call":
		raw = p.Get("input").String()
		c.Input = json.RawMessage(jsontext.Quote(raw))
	}
	args := gjson.Result{}
	if gjson.Valid(raw) {
		args = gjson.Parse(raw)
		if kind != "custom_tool_call" {
			c.Input = json.RawMessage(strings.ReplaceAll(raw, "\n", " "))
		}
	} else if c.Input == nil && raw != "" {
		c.Input = json.RawMessage(jsontext.Quote(raw))
	}
	switch c.Name {
	case "apply_patch":
		if text := args.Get("input").String(); text != "" { // an older form
			raw = text
		}
		c.Edits = base.PatchEdits(raw, "")
	case "exec_command", "shell", "shell_command", "container.exec", "local_shell":
		shell(&c, args)
	case "spawn_agent":
		c.Starts = true
	default:
		c.Reads = strings.Contains(quiet, " "+c.Name+" ")
	}
	return c
}

// shell sets the command of a call, or the edits of a patch that Codex takes out of the command.
func shell(c *agent.Call, args gjson.Result) {
	for _, name := range []string{"cmd", "command"} {
		if v := args.Get(name); v.Exists() {
			c.Command = commandLine(v)
		}
	}
	if head, patch, found := strings.Cut(c.Command, beginPatch); found && strings.Contains(head, "apply_patch") {
		dir := args.Get("workdir").String()
		if _, to, ok := strings.Cut(head, "cd "); ok {
			if word, _, ok := strings.Cut(to, "&&"); ok {
				dir = base.Within(dir, strings.Trim(strings.TrimSpace(word), `"'`))
			}
		}
		if c.Edits = base.PatchEdits(beginPatch+patch, dir); len(c.Edits) > 0 {
			c.Command = ""
		}
	}
}

// commandLine returns a command as one text: that of a shell's script, or the words, quoted.
func commandLine(v gjson.Result) string {
	if !v.IsArray() {
		return v.String()
	}
	words := v.Array()
	if len(words) == 3 && strings.HasSuffix(words[0].String(), "sh") && strings.HasPrefix(words[1].String(), "-") && strings.HasSuffix(words[1].String(), "c") {
		return words[2].String()
	}
	var out []string
	for _, w := range words {
		out = append(out, "'"+strings.ReplaceAll(w.String(), "'", `'\''`)+"'")
	}
	return strings.Join(out, " ")
}

const beginPatch = "*** Begin Patch"

// resultOf returns the result of a call. Codex says in its text how a command or a patch ended.
func resultOf(p gjson.Result) agent.Part {
	out := agent.Part{Kind: agent.ResultPart, CallID: p.Get("call_id").String()}
	said := p.Get("output")
	switch {
	case said.Type == gjson.String:
		out.Text = said.Str
	case said.IsArray():
		out.Text = jsontext.PartText([]byte(said.Raw))
	default:
		out.Text = said.Get("content").String()
		out.Failed = said.Get("success").Type == gjson.False
	}
	if strings.HasPrefix(out.Text, "{") && gjson.Valid(out.Text) {
		v := gjson.Parse(out.Text)
		if aid := v.Get("agent_id").String(); jsontext.IsSafeName(aid) {
			out.AgentIDs = []string{aid}
		}
		if code := v.Get("metadata.exit_code"); code.Exists() { // an older form
			out.Text, out.Failed = v.Get("output").String(), code.Int() != 0
		}
		return out
	}
	head, _, _ := strings.Cut(out.Text, "\nOutput:")
	out.Running = strings.Contains(head, "\nProcess running with session ID ")
	for _, mark := range []string{"Exit code: ", "Process exited with code "} {
		if _, code, ok := strings.Cut(head, mark); ok {
			code, _, _ = strings.Cut(code, "\n")
			out.Failed = strings.TrimSpace(code) != "0"
		}
	}
	out.Failed = out.Failed || strings.HasPrefix(out.Text, "apply_patch verification failed")
	return out
}
