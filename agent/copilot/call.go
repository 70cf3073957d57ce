package copilot

import (
	"slices"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
)

// quiet are the tools that change no file of a worktree. A subagent's calls are in the same transcript,
// so the call that starts it is one of them.
var quiet = []string{"view", "grep", "glob", "rg", "task", "report_intent", "update_todo", "todo", "ask_user", "web_fetch", "web_search",
	"fetch_copilot_cli_documentation", "read_bash", "stop_bash", "list_bash", "read_powershell", "stop_powershell", "list_powershell",
	"read_agent", "list_agents", "write_agent", "store_memory", "skill", "sql", "exit_plan_mode", "task_complete",
	// VS Code's
	"read_file", "list_dir", "file_search", "grep_search", "semantic_search", "get_errors", "manage_todo_list", "fetch_webpage",
	"list_code_usages", "get_terminal_output", "terminal_last_command", "view_image", "get_changed_files", "think"}

// callOf returns a tool call of a message, with what it means for files.
func callOf(request gjson.Result) agent.Call {
	in := request.Get("arguments")
	if in.Type == gjson.String && gjson.Valid(in.Str) {
		in = gjson.Parse(in.Str)
	}
	c := agent.Call{ToolUse: agent.ToolUse{ID: text(request, "toolCallId"), Name: text(request, "name")}}
	if in.Raw != "" {
		c.Input = []byte(in.Raw)
	}
	switch c.Name {
	case "bash", "powershell", "shell", "local_shell":
		c.Command = text(in, "command")
		c.Background = text(in, "mode") == "async" || in.Get("detach").Type == gjson.True
	case "create", "edit", "str_replace", "insert", "str_replace_editor":
		if text(in, "command") == "view" {
			c.Reads = true
			break
		}
		if path := text(in, "path"); path != "" {
			c.Edits = []agent.Edit{edit(in, path)}
		}
	case "apply_patch":
		c.Edits = base.PatchEdits(in.Str+text(in, "input"), "") // Copilot CLI's arguments are the patch, VS Code's have it
	case "run_in_terminal":
		c.Command, c.Background = text(in, "command"), in.Get("isBackground").Type == gjson.True
	case "create_file", "replace_string_in_file", "multi_replace_string_in_file", "insert_edit_into_file":
		c.Edits = editsInVSCode(in)
	default:
		c.Reads = slices.Contains(quiet, c.Name)
		c.Files = jsontext.NamedFiles(in)
	}
	return c
}

// editsInVSCode returns what a call of an editing tool of VS Code writes: a file, replacements, or parts of a file with remarks
// in the places of others.
func editsInVSCode(in gjson.Result) (out []agent.Edit) {
	for _, one := range append([]gjson.Result{in}, in.Get("replacements").Array()...) {
		e := agent.Edit{Path: text(one, "filePath"), Untold: one.Get("code").Exists()}
		if e.Path == "" {
			e.Path = text(in, "filePath")
		}
		for _, key := range []string{"content", "newString"} {
			if s := text(one, key); s != "" {
				e.Texts = append(e.Texts, s)
			}
		}
		if old := text(one, "oldString"); old != "" {
			e.Replaced = []string{old}
		}
		if e.Path != "" && (e.Untold || len(e.Texts)+len(e.Replaced) > 0) {
			out = append(out, e)
		}
	}
	return out
}

// edit returns what an edit call writes: a new file, a replacement, or inserted lines.
func edit(in gjson.Result, path string) agent.Edit {
	e := agent.Edit{Path: path}
	for _, key := range []string{"file_text", "new_str"} {
		if v := in.Get(key); v.Type == gjson.String && v.Str != "" {
			e.Texts = append(e.Texts, jsontext.ValidUTF8(v.Str))
		}
	}
	if old := text(in, "old_str"); old != "" {
		e.Replaced = []string{old}
	}
	return e
}
