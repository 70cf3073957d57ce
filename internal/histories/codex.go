package histories

import (
	"fmt"
	"strings"
)

// Codex is OpenAI's Codex, whose edits are patches.
var Codex = &Dialect{
	Agent: "codex", Start: "session-start", Prompt: "user-prompt-submit", Stop: "stop", End: "session-end",
	id: func(id string) string { return id[:14] + "7" + id[15:] },
	path: func(_, id string) string {
		return ".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-" + id + ".jsonl"
	},
	payload: func(s *Session) map[string]any {
		return map[string]any{"session_id": s.ID, "turn_id": s.codexTurn(), "transcript_path": s.Path, "cwd": s.Host.Dir(s.WT), "permission_mode": "bypassPermissions", "model": "gpt-5.5"}
	},
	atEnd: func(*Session) map[string]any {
		return map[string]any{"stop_hook_active": false, "last_assistant_message": "Done."}
	},
	begun: func(s *Session) []any {
		return s.codexLine("session_meta", map[string]any{"session_id": s.ID, "id": s.ID, "cwd": s.Host.Dir(s.WT), "cli_version": "0.169.0", "source": "cli"})
	},
	asked: func(s *Session, text string) []any {
		return append(s.codexLine("turn_context", map[string]any{"turn_id": s.codexTurn(), "cwd": s.Host.Dir(s.WT), "model": "gpt-5.5"}),
			s.codexLine("response_item", map[string]any{"type": "message", "id": fmt.Sprintf("msg_u%d", s.number), "role": "user",
				"content": []any{map[string]any{"type": "input_text", "text": text}}})...)
	},
	answered: func(s *Session, text string) []any {
		return s.codexLine("response_item", map[string]any{"type": "message", "id": fmt.Sprintf("msg_a%d", s.number), "role": "assistant",
			"content": []any{map[string]any{"type": "output_text", "text": text}}})
	},
	called: func(s *Session, c *call) []any {
		if c.path != "" {
			return s.codexLine("response_item", map[string]any{"type": "custom_tool_call", "status": "completed", "id": "ctc_" + c.id, "call_id": c.id, "name": "apply_patch", "input": codexPatch(c)})
		}
		name, input := c.tool, c.input
		if command, is := c.input["command"]; is {
			name, input = "exec_command", map[string]any{"cmd": command}
		} else if name == "Read" || name == "Grep" || name == "Glob" {
			name, input = "exec_command", map[string]any{"cmd": "cat f.txt"}
		}
		return s.codexLine("response_item", map[string]any{"type": "function_call", "status": "completed", "id": "fc_" + c.id, "call_id": c.id, "name": name, "arguments": Encode(input)})
	},
	returned: func(s *Session, c *call) []any {
		if c.path != "" {
			change := map[string]any{"type": "add", "content": c.now}
			if c.was != "" {
				change = map[string]any{"type": "update", "unified_diff": unified(c.was, c.now), "move_path": nil}
			}
			return append(s.codexLine("event_msg", map[string]any{"type": "item_completed", "item": map[string]any{"type": "FileChange", "id": c.id, "status": "completed",
				"changes": map[string]any{s.path(c.path): change}}}), s.codexLine("response_item", map[string]any{"type": "custom_tool_call_output", "id": "ctco_" + c.id, "call_id": c.id, "output": "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM " + c.path + "\n"})...)
		}
		ended := "Process exited with code 0"
		if c.input["run_in_background"] == true {
			ended = "Process running with session ID 7"
		}
		return s.codexLine("response_item", map[string]any{"type": "function_call_output", "id": "fco_" + c.id, "call_id": c.id, "output": "Chunk ID: 821d6b\nWall time: 0.1 seconds\n" + ended + "\nOutput:\n"})
	},
}

func (s *Session) codexTurn() string { return fmt.Sprintf("01a20cd2-7cda-7b83-be81-%012d", s.Turn) }

func (s *Session) codexLine(kind string, payload map[string]any) []any {
	return []any{map[string]any{"timestamp": stamp(), "ordinal": s.next(), "type": kind, "payload": payload}}
}

// codexPatch is the patch of an edit, in the form of apply_patch: whoever writes a file that is there as a whole changes all of it.
func codexPatch(c *call) string {
	var text strings.Builder
	text.WriteString("*** Begin Patch\n")
	if c.was == "" {
		text.WriteString("*** Add File: " + c.path + "\n" + marked("+", c.now))
	} else {
		text.WriteString("*** Update File: " + c.path + "\n@@\n")
		for line := range strings.Lines(unified(c.was, c.now)) {
			if !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, "\\") {
				text.WriteString(line)
			} else if text.Len() > 0 && strings.HasPrefix(line, "@@") && !strings.HasSuffix(text.String(), "@@\n") {
				text.WriteString("@@\n")
			}
		}
	}
	text.WriteString("*** End Patch")
	return text.String()
}

// marked puts a sign before each line.
func marked(sign, text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(sign + strings.TrimSuffix(line, "\n") + "\n")
	}
	return out.String()
}
