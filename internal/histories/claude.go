package histories

import "fmt"

// Claude is Claude Code, whose transcript has a record on each line.
var Claude = &Dialect{
	Agent: "claude-code", Start: "session-start", Prompt: "user-prompt-submit", Stop: "stop", End: "session-end",
	path:  func(_, id string) string { return ".claude/projects/x/" + id + ".jsonl" },
	atEnd: func(*Session) map[string]any { return map[string]any{"stop_hook_active": false} },
	asked: func(s *Session, text string) []any { return s.claudeLine("user", map[string]any{"content": text}, nil) },
	answered: func(s *Session, text string) []any {
		return s.claudeLine("assistant", map[string]any{"id": fmt.Sprintf("msg_end_%d", s.number), "model": "claude-sonnet-4-5",
			"content": []any{map[string]any{"type": "text", "text": text}}}, nil)
	},
	called: func(s *Session, c *call) []any {
		return s.claudeLine("assistant", map[string]any{"id": "msg_" + c.id, "model": "claude-sonnet-4-5", "usage": map[string]any{"input_tokens": 3, "output_tokens": 20},
			"content": []any{map[string]any{"type": "tool_use", "id": c.id, "name": c.tool, "input": c.input}}}, nil)
	},
	returned: func(s *Session, c *call) []any {
		if c.refused {
			return s.claudeRefused(c)
		}
		var shown map[string]any
		if *s.Results {
			shown = claudeShows(s, c)
		}
		return s.claudeLine("user", map[string]any{"content": []any{map[string]any{"type": "tool_result", "tool_use_id": c.id, "content": "ok"}}}, shown)
	},
}

func (s *Session) claudeLine(kind string, message, shown map[string]any) []any {
	n := s.next()
	message["role"] = kind
	line := map[string]any{"type": kind, "uuid": fmt.Sprintf("%08d-2222-4222-8333-%012d", n, s.Turn),
		"sessionId": s.ID, "cwd": s.Host.Dir(s.WT), "timestamp": stamp(), "message": message}
	if kind == "assistant" && !s.Quiet {
		line["requestId"] = fmt.Sprintf("req_%08d", n)
	}
	if shown != nil {
		line["toolUseResult"] = shown
	}
	return []any{line}
}

// claudeRefused is the result of a call that a person did not allow.
func (s *Session) claudeRefused(c *call) []any {
	text := "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
	out := s.claudeLine("user", map[string]any{"content": []any{map[string]any{"type": "tool_result", "tool_use_id": c.id, "content": text, "is_error": true}}}, nil)
	out[0].(map[string]any)["toolUseResult"] = "User rejected tool use"
	return out
}

// claudeShows is what a record shows of what a call did.
func claudeShows(s *Session, c *call) map[string]any {
	switch c.tool {
	case "Write":
		kind := "update"
		if c.was == "" {
			kind = "create"
		}
		return map[string]any{"type": kind, "filePath": s.path(c.path), "content": c.now, "structuredPatch": patch(c.was, c.now)}
	case "Edit":
		return map[string]any{"filePath": s.path(c.path), "oldString": c.input["old_string"], "newString": c.input["new_string"], "structuredPatch": patch(c.was, c.now)}
	case "Task":
		return map[string]any{"agentId": c.agentID, "status": "completed"}
	}
	return nil
}
