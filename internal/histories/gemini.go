package histories

import "fmt"

// Gemini is Gemini CLI, whose transcript is one document, and whose hooks tell calls before that does.
var Gemini = &Dialect{
	Agent: "gemini", Start: "session-start", Prompt: "before-agent", Stop: "after-agent", End: "session-end", Keeps: true,
	path: func(_, id string) string { return ".gemini/tmp/x/chats/session-2026-01-02T03-04-" + id[:8] + ".json" },
	document: func(s *Session) any {
		return map[string]any{"sessionId": s.ID, "startTime": "2026-01-02T03:04:05.000Z", "messages": s.said}
	},
	asked: func(s *Session, text string) []any { return s.geminiMessage("user", map[string]any{"content": text}) },
	answered: func(s *Session, text string) []any {
		return s.geminiMessage("gemini", map[string]any{"content": text})
	},
	begins: func(s *Session, c *call) {
		if c.makes() {
			s.Tell("before-tool", map[string]any{"tool_name": geminiTools.name(c.tool), "tool_input": geminiInput(c)})
		}
	},
	ends: func(s *Session, c *call) {
		if c.makes() || c.path != "" {
			s.Tell("after-tool", map[string]any{"tool_name": geminiTools.name(c.tool), "tool_input": geminiInput(c), "tool_response": map[string]any{"llmContent": "ok"}})
		}
	},
	returned: func(s *Session, c *call) []any { // it writes a call down when it has ended
		one := map[string]any{"id": c.id, "name": geminiTools.name(c.tool), "args": geminiInput(c), "status": "success"}
		if c.path != "" && *s.Results {
			one["resultDisplay"] = geminiShows(s, c)
		}
		return s.geminiMessage("gemini", map[string]any{"content": "", "model": "gemini-3-pro", "toolCalls": []any{one}})
	},
}

// names are an agent's for the tools of Claude Code.
type names map[string]string

func (n names) name(tool string) string {
	if own, ok := n[tool]; ok {
		return own
	}
	return tool
}

var geminiTools = names{"Write": "write_file", "Edit": "replace", "Bash": "run_shell_command", "Read": "read_file", "Grep": "search_file_content", "Glob": "glob"}

// geminiInput is what a call of Gemini CLI's, or of Qwen Code's, has for input.
func geminiInput(c *call) map[string]any {
	if c.input["run_in_background"] == true {
		return map[string]any{"command": c.input["command"], "is_background": true}
	}
	return c.input
}

func (s *Session) geminiMessage(kind string, message map[string]any) []any {
	message["id"] = fmt.Sprintf("%08d-1111-4111-8111-111111111111", s.next())
	message["type"] = kind
	if kind == "gemini" {
		message["tokens"] = map[string]any{"input": 3, "output": 20, "cached": 0, "total": 23}
	}
	return []any{message}
}

// geminiShows is what a call of Gemini CLI's, or of Qwen Code's, shows of what it did.
func geminiShows(s *Session, c *call) map[string]any {
	return map[string]any{"fileName": c.path, "filePath": s.path(c.path), "originalContent": c.was, "newContent": c.now,
		"fileDiff": "Index: " + c.path + "\n===\n--- " + c.path + "\tOriginal\n+++ " + c.path + "\tWritten\n" + unified(c.was, c.now)}
}
