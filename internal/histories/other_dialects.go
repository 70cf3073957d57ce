package histories

import (
	"fmt"
	"strings"
)

// Qwen is Qwen Code, made from Gemini CLI, with a record on each line.
var Qwen = &Dialect{
	Agent: "qwen", Start: "session-start", Prompt: "user-prompt-submit", Stop: "stop", End: "session-end",
	path: func(_, id string) string { return ".qwen/projects/x/chats/" + id + ".jsonl" },
	asked: func(s *Session, text string) []any {
		return s.qwenLine("user", "user", nil, map[string]any{"text": text})
	},
	answered: func(s *Session, text string) []any {
		return s.qwenLine("assistant", "model", nil, map[string]any{"text": text})
	},
	called: func(s *Session, c *call) []any {
		return s.qwenLine("assistant", "model", nil, map[string]any{"functionCall": map[string]any{"id": c.id, "name": qwenTools.name(c.tool), "args": geminiInput(c)}})
	},
	returned: func(s *Session, c *call) []any {
		result := map[string]any{"callId": c.id, "status": "success", "executionStatus": "success"}
		if c.path != "" {
			result["resultDisplay"] = geminiShows(s, c)
		}
		return s.qwenLine("tool_result", "user", result, map[string]any{"functionResponse": map[string]any{"id": c.id, "name": qwenTools.name(c.tool), "response": map[string]any{"output": "ok"}}})
	},
}

var qwenTools = names{"Write": "write_file", "Edit": "edit", "Bash": "run_shell_command", "Read": "read_file", "Grep": "grep_search", "Glob": "glob"}

func (s *Session) qwenLine(kind, role string, result map[string]any, part map[string]any) []any {
	n := s.next()
	line := map[string]any{"type": kind, "uuid": fmt.Sprintf("%08d-3333-4333-8333-%012d", n, s.Turn), "sessionId": s.ID, "cwd": s.Host.Dir(s.WT), "version": "0.24.4",
		"timestamp": stamp(), "message": map[string]any{"role": role, "parts": []any{part}}}
	if kind == "user" {
		line["provenance"] = "real_user"
	}
	if n > 1 {
		line["parentUuid"] = fmt.Sprintf("%08d-3333-4333-8333-%012d", n-1, s.Turn)
	}
	if result != nil {
		line["toolCallResult"] = result
	}
	return []any{line}
}

// Droid is Factory's droid, whose results list the lines of a file.
var Droid = &Dialect{
	Agent: "droid", Start: "session-start", Prompt: "user-prompt-submit", Stop: "stop", End: "session-end",
	path: func(_, id string) string { return ".factory/sessions/x/" + id + ".jsonl" },
	begun: func(s *Session) []any {
		s.next()
		return []any{map[string]any{"type": "session_start", "id": s.ID, "title": "x", "version": 2, "cwd": s.Host.Dir(s.WT)}}
	},
	asked: func(s *Session, text string) []any {
		return s.droidLine("user", map[string]any{"type": "text", "text": text})
	},
	answered: func(s *Session, text string) []any {
		return s.droidLine("assistant", map[string]any{"type": "text", "text": text})
	},
	called: func(s *Session, c *call) []any {
		name, input := c.tool, c.input
		switch c.tool {
		case "Write":
			name = "Create"
		case "Edit":
			if c.was == "" { // its Edit takes no empty text
				name, input = "Create", map[string]any{"file_path": input["file_path"], "content": c.now}
				break
			}
			input = map[string]any{"file_path": input["file_path"], "old_str": input["old_string"], "new_str": input["new_string"]}
		case "Bash":
			name, input = "Execute", map[string]any{"command": input["command"], "fireAndForget": input["run_in_background"] == true}
		}
		return s.droidLine("assistant", map[string]any{"type": "tool_use", "id": c.id, "name": name, "input": input})
	},
	returned: func(s *Session, c *call) []any {
		said := "Command completed successfully\n\n[Process exited with code 0]"
		if c.path != "" {
			outcome := map[string]any{"success": true, "file_path": s.path(c.path)}
			if c.was != "" {
				outcome["diffLines"] = droidLines(c)
			}
			said = Encode(outcome)
		}
		return s.droidLine("user", map[string]any{"type": "tool_result", "tool_use_id": c.id, "is_error": false, "content": said})
	},
}

func (s *Session) droidLine(role string, part map[string]any) []any {
	message := map[string]any{"role": role, "content": []any{part}}
	n := s.next()
	if role == "assistant" {
		message["openaiMessageId"], message["modelId"] = fmt.Sprintf("chatcmpl-%d", n), "custom:x"
	}
	return []any{map[string]any{"type": "message", "id": fmt.Sprintf("%08d-4444-4444-8444-%012d", n, s.Turn), "timestamp": stamp(), "message": message}}
}

func droidLines(c *call) (out []any) {
	for line := range strings.Lines(unified(c.was, c.now)) {
		kind := map[byte]string{' ': "unchanged", '-': "removed", '+': "added"}[line[0]]
		if kind != "" {
			out = append(out, map[string]any{"type": kind, "content": strings.TrimSuffix(line[1:], "\n")})
		}
	}
	return out
}

// Copilot is GitHub's Copilot CLI, whose transcript is a list of events.
var Copilot = &Dialect{
	Agent: "copilot", Start: "session-start", Prompt: "user-prompt-submitted", Stop: "agent-stop", End: "session-end",
	path: func(_, id string) string { return ".copilot/session-state/" + id + "/events.jsonl" },
	payload: func(s *Session) map[string]any {
		return map[string]any{"sessionId": s.ID, "timestamp": 1795511188033, "cwd": s.Host.Dir(s.WT)}
	},
	atEnd: func(s *Session) map[string]any {
		return map[string]any{"transcriptPath": s.Path, "stopReason": "end_turn", "stop_hook_active": false}
	},
	begun: func(s *Session) []any {
		return s.copilotEvent("session.start", map[string]any{"sessionId": s.ID, "version": 1, "producer": "copilot-agent", "copilotVersion": "1.0.102", "selectedModel": "gpt-5.2"})
	},
	asked: func(s *Session, text string) []any {
		return s.copilotEvent("user.message", map[string]any{"content": text})
	},
	answered: func(s *Session, text string) []any {
		return s.copilotEvent("assistant.message", map[string]any{"messageId": fmt.Sprint(s.number), "model": "gpt-5.2", "content": text, "toolRequests": []any{}})
	},
	called: func(s *Session, c *call) []any {
		name, input := copilotTools.name(c.tool), c.input
		switch c.tool {
		case "Write":
			input = map[string]any{"path": input["file_path"], "file_text": input["content"]}
		case "Edit":
			input = map[string]any{"path": input["file_path"], "old_str": input["old_string"], "new_str": input["new_string"]}
		case "Bash":
			if input["run_in_background"] == true {
				input = map[string]any{"command": input["command"], "mode": "async"}
			}
		}
		return s.copilotEvent("assistant.message", map[string]any{"messageId": fmt.Sprint(s.number), "model": "gpt-5.2", "content": "",
			"toolRequests": []any{map[string]any{"toolCallId": c.id, "name": name, "arguments": input, "type": "function"}}})
	},
	returned: func(s *Session, c *call) []any {
		data := map[string]any{"toolCallId": c.id, "success": true, "result": map[string]any{"content": "ok"}}
		if c.path != "" {
			path := s.path(c.path)
			data["fileEdits"] = []any{map[string]any{"path": path, "kind": map[bool]string{true: "create", false: "edit"}[c.was == ""]}}
			data["result"] = map[string]any{"content": "File updated with changes.", "detailedContent": "\ndiff --git a" + path + " b" + path + "\nindex 0000000..0000000 100644\n--- a" + path + "\n+++ b" + path + "\n" + unified(c.was, c.now)}
		}
		return s.copilotEvent("tool.execution_complete", data)
	},
}

var copilotTools = names{"Write": "create", "Edit": "edit", "Bash": "bash", "Read": "view", "Grep": "grep", "Glob": "glob"}

func (s *Session) copilotEvent(kind string, data map[string]any) []any {
	return []any{map[string]any{"type": kind, "data": data, "id": fmt.Sprintf("%08d-5555-4555-8555-%012d", s.next(), s.Turn), "timestamp": stamp()}}
}

// Cursor is cursor-agent, whose records show calls and no results.
var Cursor = &Dialect{
	Agent: "cursor", Start: "session-start", Prompt: "before-submit-prompt", Stop: "stop", End: "session-end",
	path: func(_, id string) string { return ".cursor/projects/x/agent-transcripts/" + id + "/" + id + ".jsonl" },
	payload: func(s *Session) map[string]any {
		return map[string]any{"conversation_id": s.ID, "generation_id": fmt.Sprintf("g%d", s.Turn), "workspace_roots": []any{s.Host.Dir(s.WT)}, "transcript_path": s.Path, "cursor_version": "2.0"}
	},
	atEnd: func(*Session) map[string]any { return map[string]any{"status": "completed"} },
	begins: func(s *Session, c *call) {
		if c.makes() {
			s.Tell("pre-tool", map[string]any{"command": c.input["command"]})
		}
	},
	ends: func(s *Session, c *call) {
		switch old, now := difference(c.was, c.now); {
		case c.makes():
			s.Tell("post-tool", map[string]any{"command": c.input["command"], "output": "", "duration": 1})
		case c.path != "" && c.was == "":
			s.Tell("post-tool", map[string]any{"file_path": s.path(c.path), "edits": []any{map[string]any{"old_string": "", "new_string": c.now}}})
		case c.path != "":
			s.Tell("post-tool", map[string]any{"file_path": s.path(c.path), "edits": []any{map[string]any{"old_string": old, "new_string": now}}})
		}
	},
	asked: func(s *Session, text string) []any {
		return s.cursorLine("user", map[string]any{"type": "text", "text": "<user_query>\n" + text + "\n</user_query>"})
	},
	answered: func(s *Session, text string) []any {
		return s.cursorLine("assistant", map[string]any{"type": "text", "text": text})
	},
	called: func(s *Session, c *call) []any {
		name, input := c.tool, c.input
		switch c.tool {
		case "Write":
			input = map[string]any{"path": input["file_path"], "contents": input["content"]}
		case "Edit":
			if c.was == "" { // its StrReplace takes no empty text
				name, input = "Write", map[string]any{"path": input["file_path"], "contents": c.now}
				break
			}
			name, input = "StrReplace", map[string]any{"path": input["file_path"], "old_string": input["old_string"], "new_string": input["new_string"]}
		case "Bash":
			name, input = "Shell", map[string]any{"command": input["command"], "is_background": input["run_in_background"] == true}
		}
		return s.cursorLine("assistant", map[string]any{"type": "tool_use", "name": name, "input": input})
	},
}

func (s *Session) cursorLine(role string, part map[string]any) []any {
	s.next()
	return []any{map[string]any{"role": role, "message": map[string]any{"content": []any{part}}}}
}

// Pi is pi, whose extension calls the hooks.
var Pi = &Dialect{
	Agent: "pi", Start: "session-start", Prompt: "turn-start", Stop: "turn-end", End: "session-end",
	path: func(_, id string) string { return ".pi/agent/sessions/--x--/2026-01-02T03-04-05-000Z_" + id + ".jsonl" },
	payload: func(s *Session) map[string]any {
		return map[string]any{"version": 1, "session_id": s.ID, "transcript_path": s.Path, "cwd": s.Host.Dir(s.WT)}
	},
	begun: func(s *Session) []any {
		s.next()
		return []any{map[string]any{"type": "session", "version": 3, "id": s.ID, "timestamp": stamp(), "cwd": s.Host.Dir(s.WT)}}
	},
	asked: func(s *Session, text string) []any {
		return s.piLine(map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": text}}})
	},
	answered: func(s *Session, text string) []any {
		return s.piLine(map[string]any{"role": "assistant", "model": "fake-1", "stopReason": "stop", "content": []any{map[string]any{"type": "text", "text": text}}})
	},
	called: func(s *Session, c *call) []any {
		name, input := strings.ToLower(c.tool), c.input
		switch c.tool {
		case "Write":
			input = map[string]any{"path": input["file_path"], "content": input["content"]}
		case "Edit":
			input = map[string]any{"path": input["file_path"], "edits": []any{map[string]any{"oldText": input["old_string"], "newText": input["new_string"]}}}
		}
		return s.piLine(map[string]any{"role": "assistant", "model": "fake-1", "stopReason": "toolUse", "content": []any{map[string]any{"type": "toolCall", "id": c.id, "name": name, "arguments": input}}})
	},
	returned: func(s *Session, c *call) []any {
		said := "(no output)"
		switch c.tool {
		case "Write":
			said = fmt.Sprintf("Successfully wrote %d bytes to %s", len(c.now), s.path(c.path))
		case "Edit":
			said = "Successfully replaced 1 block(s) in " + s.path(c.path) + "."
		}
		message := map[string]any{"role": "toolResult", "toolCallId": c.id, "toolName": strings.ToLower(c.tool), "isError": false, "content": []any{map[string]any{"type": "text", "text": said}}}
		if c.tool == "Edit" {
			message["details"] = map[string]any{"diff": piDiff(c), "firstChangedLine": 1}
		}
		return s.piLine(message)
	},
}

func (s *Session) piLine(message map[string]any) []any {
	n := s.next()
	line := map[string]any{"type": "message", "id": fmt.Sprintf("%08x", n), "timestamp": stamp(), "message": message}
	if n > 2 {
		line["parentId"] = fmt.Sprintf("%08x", n-1)
	}
	return []any{line}
}

// piDiff is a difference in pi's form: the sign and the number of a line, and the line.
func piDiff(c *call) string {
	var out []string
	old, now := 1, 1
	for line := range strings.Lines(unified(c.was, c.now)) {
		line = strings.TrimSuffix(line, "\n")
		switch line[0] {
		case '@':
			fmt.Sscanf(line, "@@ -%d", &old)
			now = old
		case '+':
			out, now = append(out, fmt.Sprintf("+%d %s", now, line[1:])), now+1
		case '-':
			out, old = append(out, fmt.Sprintf("-%d %s", old, line[1:])), old+1
		case ' ':
			out, old, now = append(out, fmt.Sprintf(" %d %s", old, line[1:])), old+1, now+1
		}
	}
	return strings.Join(out, "\n")
}
