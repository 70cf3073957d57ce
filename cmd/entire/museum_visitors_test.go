package main

import (
	"path/filepath"
	"regexp"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// visitor is an agent as scripts of the museum need it: the names of its tools and their input, the events of its
// hooks, and how its program writes a conversation.
type visitor struct {
	name       string
	settings   string // the file with its hooks; "" if it calls them itself
	hookFolder string // or the folder with a program for each event
	events     map[moment]string
	// writesPromptFirst: the prompt is in the transcript before the hook is called.
	writesPromptFirst bool

	shell, command               string
	read, write, edit            string
	path, content, old, new      string
	hookShell, hookCommand       string // the shell as the hooks name it, where that differs
	where                        func(ts *testscript.TestScript, v *visit) string
	written                      writer
	fields                       func(ts *testscript.TestScript, v *visit, event string) map[string]any
	idField, toolField, inputKey string
}

// writer writes a conversation as an agent's program does.
type writer interface {
	begin(ts *testscript.TestScript, v *visit)
	user(ts *testscript.TestScript, v *visit, text string)
	says(ts *testscript.TestScript, v *visit, text string)
	call(ts *testscript.TestScript, v *visit, c *call)
	result(ts *testscript.TestScript, v *visit, c *call)
}

func (a *visitor) transcript(ts *testscript.TestScript, v *visit) string { return a.where(ts, v) }
func (a *visitor) begins(ts *testscript.TestScript, v *visit)            { a.written.begin(ts, v) }
func (a *visitor) user(ts *testscript.TestScript, v *visit, text string) { a.written.user(ts, v, text) }
func (a *visitor) says(ts *testscript.TestScript, v *visit, text string) { a.written.says(ts, v, text) }
func (a *visitor) calls(ts *testscript.TestScript, v *visit, c *call)    { a.written.call(ts, v, c) }
func (a *visitor) results(ts *testscript.TestScript, v *visit, c *call)  { a.written.result(ts, v, c) }
func (a *visitor) payload(ts *testscript.TestScript, v *visit, e string) map[string]any {
	return a.fields(ts, v, e)
}

// ending are fields of the hook at a turn's end.
func (a *visitor) ending(v *visit) map[string]any {
	if a.events[atStop] == "turn-end" && v.words[v.session] != nil {
		return map[string]any{"messages": v.words[v.session]}
	}
	return map[string]any{"last_assistant_message": "Done.", "stop_hook_active": false}
}

func (a *visitor) hookTool(c *call) string {
	if c.kind == "shell" && a.hookShell != "" {
		return a.hookShell
	}
	return c.tool
}

// toolFields are what the hooks of a call tell of it.
func (a *visitor) toolFields(c *call, done bool) map[string]any {
	input := any(c.input)
	if c.kind == "shell" && a.hookCommand != "" {
		input = map[string]any{a.hookCommand: c.input[a.command]}
	}
	out := map[string]any{}
	switch a.name {
	case "cursor":
		if c.kind == "shell" {
			out["command"] = c.input[a.command]
			if done {
				out["output"] = c.output
			}
		}
	case "copilot":
		out["toolName"], out["toolArgs"] = c.tool, input
		out["toolResult"] = map[string]any{"resultType": "success", "textResultForLlm": c.output}
	case "cline":
		out["iteration"], out["tool_call"] = 1, map[string]any{"name": c.tool, "input": input}
	default:
		out["tool_name"], out["tool_input"], out["tool_use_id"] = a.hookTool(c), input, c.id
		if done {
			out["tool_response"] = map[string]any{"llmContent": c.output, "stdout": c.output}
		}
	}
	return out
}

var notOfFolder = regexp.MustCompile(`[^A-Za-z0-9]`)

// folderOf is the name that several agents give a project's folder.
func folderOf(ts *testscript.TestScript) string {
	return notOfFolder.ReplaceAllString(ts.MkAbs("."), "-")
}

func homeFile(ts *testscript.TestScript, elem ...string) string {
	return filepath.Join(append([]string{ts.Getenv("HOME")}, elem...)...)
}

// plainFields are those of the hooks of Claude Code and of the agents that took them over.
func plainFields(ts *testscript.TestScript, v *visit, event string) map[string]any {
	return map[string]any{
		"session_id": v.session, "transcript_path": ts.Getenv("TRANSCRIPT"), "cwd": ts.MkAbs("."), "hook_event_name": event,
		"permission_mode": "default", "timestamp": stamp(), "turn_id": "t1", "model": "fake-1",
	}
}

func versionFields(ts *testscript.TestScript, v *visit, _ string) map[string]any {
	return map[string]any{"version": 1, "session_id": v.session, "transcript_path": ts.Getenv("TRANSCRIPT"), "cwd": ts.MkAbs("."), "agent_version": "1.18.33"}
}

// without takes a field away, for agents that do not send it.
func without(fields func(*testscript.TestScript, *visit, string) map[string]any, name string) func(*testscript.TestScript, *visit, string) map[string]any {
	return func(ts *testscript.TestScript, v *visit, event string) map[string]any {
		out := fields(ts, v, event)
		delete(out, name)
		return out
	}
}

func cursorFields(ts *testscript.TestScript, v *visit, event string) map[string]any {
	return map[string]any{
		"conversation_id": v.session, "generation_id": "g1", "model": "default", "cursor_version": "2.4.0", "workspace_roots": []string{ts.MkAbs(".")},
		"hook_event_name": event, "transcript_path": ts.Getenv("TRANSCRIPT"), "cwd": ts.MkAbs("."), "session_id": v.session, "status": "completed",
	}
}

func copilotFields(ts *testscript.TestScript, v *visit, event string) map[string]any {
	out := map[string]any{"sessionId": v.session, "timestamp": time.Now().UnixMilli(), "cwd": ts.MkAbs(".")}
	if event == "agentStop" {
		out["timestamp"], out["transcriptPath"], out["stopReason"] = v.said, ts.Getenv("TRANSCRIPT"), "end_turn"
	}
	return out
}

func clineFields(ts *testscript.TestScript, v *visit, _ string) map[string]any {
	return map[string]any{
		"clineVersion": "", "taskId": "conv_1", "sessionContext": map[string]any{"rootSessionId": v.session},
		"workspaceRoots": []string{ts.MkAbs(".")}, "workspaceInfo": map[string]any{"rootPath": ts.MkAbs(".")}, "agent_id": "agent_1", "parent_agent_id": nil,
	}
}

// visitors are the agents, by their names in `entire enable --agent`.
func visitors() map[string]*visitor {
	claudeEvents := map[moment]string{atStart: "SessionStart", atPrompt: "UserPromptSubmit", beforeTool: "PreToolUse", afterTool: "PostToolUse", atStop: "Stop", atEnd: "SessionEnd"}
	geminiEvents := map[moment]string{atStart: "SessionStart", atPrompt: "BeforeAgent", beforeTool: "BeforeTool", afterTool: "AfterTool", atStop: "AfterAgent", atEnd: "SessionEnd"}
	ownEvents := map[moment]string{atPrompt: "turn-start", beforeTool: "pre-tool", afterTool: "post-tool", atStop: "turn-end"}
	list := []*visitor{
		{
			name: "claude-code", settings: ".claude/settings.json", events: claudeEvents, shell: "Bash", command: "command",
			read: "Read", write: "Write", edit: "Edit", path: "file_path", content: "content", old: "old_string", new: "new_string",
			fields: plainFields, written: claudeLines{},
			where: func(ts *testscript.TestScript, v *visit) string {
				return homeFile(ts, ".claude", "projects", folderOf(ts), v.session+".jsonl")
			},
		},
		{
			name: "gemini", settings: ".gemini/settings.json", events: geminiEvents, shell: "run_shell_command", command: "command",
			read: "read_file", write: "write_file", edit: "replace", path: "file_path", content: "content", old: "old_string", new: "new_string",
			fields: plainFields, written: geminiLines{},
			where: func(ts *testscript.TestScript, v *visit) string {
				return homeFile(ts, ".gemini", "tmp", "repo", "chats", "session-2026-11-25T09-00-"+v.session[:8]+".jsonl")
			},
		},
		{
			name: "qwen", settings: ".qwen/settings.json", events: claudeEvents, shell: "run_shell_command", command: "command",
			read: "read_file", write: "write_file", edit: "edit", path: "file_path", content: "content", old: "old_string", new: "new_string",
			fields: plainFields, written: qwenLines{},
			where: func(ts *testscript.TestScript, v *visit) string {
				return homeFile(ts, ".qwen", "projects", folderOf(ts), "chats", v.session+".jsonl")
			},
		},
		{
			name: "codex", settings: ".codex/hooks.json", events: claudeEvents, shell: "exec_command", command: "cmd", hookShell: "Bash", hookCommand: "command",
			write: "apply_patch", edit: "apply_patch", path: "path", content: "content", old: "old", new: "new",
			fields: plainFields, written: codexLines{},
			where: func(ts *testscript.TestScript, v *visit) string {
				return homeFile(ts, ".codex", "sessions", "2026", "11", "25", "rollout-2026-11-25T09-10-50-"+v.session+".jsonl")
			},
		},
		{
			name: "droid", settings: ".factory/settings.json", events: claudeEvents, shell: "Execute", command: "command",
			read: "Read", write: "Create", edit: "Edit", path: "file_path", content: "content", old: "old_str", new: "new_str",
			fields: plainFields, written: droidLines{},
			where: func(ts *testscript.TestScript, v *visit) string {
				return homeFile(ts, ".factory", "sessions", folderOf(ts), v.session+".jsonl")
			},
		},
		{
			name: "cursor", settings: ".cursor/hooks.json", shell: "Shell", command: "command", writesPromptFirst: false,
			events: map[moment]string{atStart: "sessionStart", atPrompt: "beforeSubmitPrompt", beforeTool: "beforeShellExecution", afterTool: "afterShellExecution", atStop: "stop", atEnd: "sessionEnd"},
			read:   "Read", write: "Write", edit: "StrReplace", path: "path", content: "contents", old: "old_string", new: "new_string",
			fields: cursorFields, written: cursorLines{},
			where: func(ts *testscript.TestScript, v *visit) string {
				return homeFile(ts, ".cursor", "projects", folderOf(ts)[1:], "agent-transcripts", v.session, v.session+".jsonl")
			},
		},
		{
			name: "copilot", settings: ".github/hooks/entire.json", shell: "bash", command: "command",
			events: map[moment]string{atStart: "sessionStart", atPrompt: "userPromptSubmitted", afterTool: "postToolUse", atStop: "agentStop", atEnd: "sessionEnd"},
			read:   "view", write: "create", edit: "edit", path: "path", content: "file_text", old: "old_str", new: "new_str",
			fields: copilotFields, written: copilotLines{},
			where: func(ts *testscript.TestScript, v *visit) string {
				return homeFile(ts, ".copilot", "session-state", v.session, "events.jsonl")
			},
		},
		{
			name: "pi", events: ownEvents, shell: "bash", command: "command",
			read: "read", write: "write", edit: "edit", path: "path", content: "content", old: "oldText", new: "newText",
			fields: versionFields, written: piLines{},
			where: func(ts *testscript.TestScript, v *visit) string {
				return homeFile(ts, ".pi", "agent", "sessions", "-"+folderOf(ts)+"--", "2026-11-25T09-06-05-598Z_"+v.session+".jsonl")
			},
		},
		{
			name: "cline", hookFolder: ".cline/hooks", shell: "run_commands", command: "command", writesPromptFirst: true,
			events: map[moment]string{atPrompt: "TaskStart", beforeTool: "PreToolUse", atStop: "TaskComplete"},
			read:   "read_files", write: "editor", edit: "editor", path: "path", content: "new_text", old: "old_text", new: "new_text",
			fields: clineFields, written: clineDocument{},
			where: func(ts *testscript.TestScript, v *visit) string {
				return homeFile(ts, ".cline", "data", "sessions", v.session, v.session+".messages.json")
			},
		},
		{
			name: "generic", shell: "shell", command: "command", events: map[moment]string{atPrompt: "turn-start", beforeTool: "tool-start", afterTool: "tool-end", atStop: "turn-end"},
			read: "read", write: "write", edit: "edit", path: "path", content: "content", old: "old", new: "new",
			fields: func(ts *testscript.TestScript, v *visit, _ string) map[string]any {
				return map[string]any{"version": 1, "session_id": v.session, "cwd": ts.MkAbs("."), "agent": "Other Agent", "transcript_path": ts.Getenv("TRANSCRIPT")}
			},
			written: genericLines{},
			where: func(ts *testscript.TestScript, v *visit) string {
				return homeFile(ts, ".other-agent", v.session+".jsonl")
			},
		},
	}
	for _, name := range []string{"opencode", "kilo"} {
		list = append(list, &visitor{
			name: name, events: ownEvents, shell: "bash", command: "command",
			read: "read", write: "write", edit: "edit", path: "filePath", content: "content", old: "oldString", new: "newString",
			fields: without(versionFields, "transcript_path"), written: openMessages{},
			where: func(ts *testscript.TestScript, v *visit) string { return homeFile(ts, "."+v.agent.name, v.session) },
		})
	}
	out := map[string]*visitor{}
	for _, a := range list {
		out[a.name] = a
	}
	return out
}
