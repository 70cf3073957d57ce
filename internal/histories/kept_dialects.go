package histories

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
)

// OpenCode is OpenCode, whose plugin sends the conversation at the end of a turn, and tells it on a socket before.
var OpenCode = openCode("opencode", "1.18.33")

// Kilo is made from OpenCode; its calls that write a whole file show what was there.
var Kilo = openCode("kilo", "7.7.7")

func openCode(name, version string) *Dialect {
	return &Dialect{
		Agent: name, Prompt: "turn-start", Stop: "turn-end",
		id: func(id string) string { return "ses_" + strings.ReplaceAll(id, "-", "") },
		payload: func(s *Session) map[string]any {
			return map[string]any{"version": 1, "session_id": s.ID, "cwd": s.Host.Dir(s.WT), "agent_version": version}
		},
		document: func(s *Session) any { return s.said },
		atStart: func(s *Session) map[string]any {
			return map[string]any{"socket": s.listen(func() any {
				settled, running := s.said, []any{}
				if n := len(settled) - 1; n >= 0 && openCodeRuns(settled[n]) {
					settled, running = settled[:n], settled[n:]
				}
				return map[string]any{"version": 1, "session_id": s.ID, "agent_version": version, "messages": settled, "running": running}
			})}
		},
		again: func(s *Session) map[string]any { return map[string]any{"messages": s.said} },
		atEnd: func(s *Session) map[string]any { return map[string]any{"messages": s.said} },
		asked: func(s *Session, text string) []any {
			return s.openCodeMessage("user", map[string]any{"type": "text", "text": text, "id": "p1"})
		},
		answered: func(s *Session, text string) []any {
			return s.openCodeMessage("assistant", map[string]any{"type": "text", "text": text, "id": "p1"})
		},
		called: func(s *Session, c *call) []any {
			input, meta := c.input, map[string]any{}
			switch c.tool {
			case "Write":
				input = map[string]any{"filePath": input["file_path"], "content": input["content"]}
				meta["filepath"] = s.path(c.path)
				if name == "kilo" {
					s.openCodeShows(meta, c)
				}
			case "Edit":
				input = map[string]any{"filePath": input["file_path"], "oldString": input["old_string"], "newString": input["new_string"]}
				s.openCodeShows(meta, c)
			}
			c.state = map[string]any{"status": "running", "input": input}
			c.shows = meta
			return s.openCodeMessage("assistant", map[string]any{"type": "tool", "tool": strings.ToLower(c.tool), "callID": c.id, "id": "p2", "state": c.state})
		},
		returned: func(s *Session, c *call) []any { // the message that has the call changes
			s.saying.Lock()
			defer s.saying.Unlock()
			c.state["status"], c.state["output"], c.state["metadata"] = "completed", "ok", c.shows
			return nil
		},
	}
}

// openCodeRuns reports whether the call of a message runs.
func openCodeRuns(message any) bool {
	part := message.(map[string]any)["parts"].([]any)[0].(map[string]any)
	state, is := part["state"].(map[string]any)
	return is && state["status"] == "running"
}

// openCodeShows adds what a call changed.
func (s *Session) openCodeShows(meta map[string]any, c *call) {
	diff := "Index: " + s.path(c.path) + "\n===\n--- a\n+++ b\n" + unified(c.was, c.now)
	meta["diff"], meta["filediff"] = diff, map[string]any{"file": s.path(c.path), "patch": diff}
}

func (s *Session) openCodeMessage(role string, part map[string]any) []any {
	info := map[string]any{"id": fmt.Sprintf("msg_%06d", s.next()), "sessionID": s.ID, "role": role, "time": map[string]any{"created": 1795511397793 + s.number, "completed": 1795511397793 + s.number}}
	if role == "assistant" {
		info["modelID"], info["providerID"] = "big-1", "acme"
		info["tokens"] = map[string]any{"input": 3, "output": 20, "reasoning": 0, "cache": map[string]any{"read": 0, "write": 0}}
	}
	return []any{map[string]any{"info": info, "parts": []any{part}}}
}

// Cline is the command line of Cline, whose conversation is a document that Entire keeps in lines.
var Cline = &Dialect{
	Agent: "cline", Prompt: "task-start", Stop: "task-end", Keeps: true, AsksFirst: true,
	id:   func(id string) string { return "1795511231937_" + id },
	path: func(_, id string) string { return ".cline/data/sessions/" + id + "/" + id + ".messages.json" },
	payload: func(s *Session) map[string]any {
		return s.clinePayload(map[string]any{"hookName": "agent_start"})
	},
	document: func(s *Session) any {
		return map[string]any{"version": 1, "agent": "lead", "sessionId": s.ID, "origin": map[string]any{"source": "cli", "version": "3.0.65"}, "messages": s.said}
	},
	before: func(s *Session, command string) {
		if strings.Contains(command, "commit") || strings.Contains(command, "git ") {
			s.Tell("said", map[string]any{"hookName": "tool_call", "iteration": s.number})
		}
	},
	asked: func(s *Session, text string) []any {
		return s.clineMessage("user", map[string]any{"type": "text", "text": `<user_input mode="act">` + text + "</user_input>"})
	},
	answered: func(s *Session, text string) []any {
		return s.clineMessage("assistant", map[string]any{"type": "text", "text": text})
	},
	called: func(s *Session, c *call) []any {
		input := c.input
		switch c.tool {
		case "Write", "Edit":
			input = map[string]any{"path": s.clinePath(c), "new_text": c.now}
			if old, is := c.input["old_string"]; is && c.was != "" {
				input["old_text"], input["new_text"] = old, c.input["new_string"]
			} else if c.was != "" { // it writes no file anew that is there
				input["old_text"] = c.was
			}
		case "Bash":
			input = map[string]any{"commands": []any{input["command"]}}
		}
		return s.clineMessage("assistant", map[string]any{"type": "tool_use", "id": c.id, "name": clineTools.name(c.tool), "input": input})
	},
	returned: func(s *Session, c *call) []any {
		var content any = []any{map[string]any{"query": "", "result": "", "success": true}}
		if c.path != "" {
			said := "File created successfully at: " + s.path(c.path)
			if c.was != "" {
				said = "Edited " + s.path(c.path) + clineDiff(c)
			}
			content = Encode(map[string]any{"query": "edit:" + s.clinePath(c), "result": said, "success": true})
		}
		return s.clineMessage("user", map[string]any{"type": "tool_result", "tool_use_id": c.id, "name": clineTools.name(c.tool), "content": content})
	},
}

// clinePath is a path as models tell it to Cline, which refuses a relative one that leads out of its folder.
func (s *Session) clinePath(c *call) string {
	if rel, err := filepath.Rel(s.clineRoot(), s.path(c.path)); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return s.path(c.path)
}

// clineDiff is a difference in Cline's form: the lines between those that both texts begin and end with, each with its
// number.
func clineDiff(c *call) string {
	a, b := strings.Split(c.was, "\n"), strings.Split(c.now, "\n")
	lo, end := 0, 0
	for lo < len(a) && lo < len(b) && a[lo] == b[lo] {
		lo++
	}
	for end < len(a)-lo && end < len(b)-lo && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	out := "\n```diff"
	for i := lo; i < len(a)-end; i++ {
		out += fmt.Sprintf("\n-%d: %s", i+1, a[i])
	}
	for i := lo; i < len(b)-end; i++ {
		out += fmt.Sprintf("\n+%d: %s", i+1, b[i])
	}
	return out + "\n```"
}

var clineTools = names{"Write": "editor", "Edit": "editor", "Bash": "run_commands", "Read": "read_files", "Grep": "search_codebase", "Glob": "list_files"}

// clineRoot is the folder where the session began: Cline does not go elsewhere.
func (s *Session) clineRoot() string {
	s.root = cmp.Or(s.root, s.Host.Dir(s.WT))
	return s.root
}

func (s *Session) clinePayload(more map[string]any) map[string]any {
	dir := s.clineRoot()
	more["taskId"], more["agent_id"], more["parent_agent_id"] = "conv_"+s.ID, "agent_1", nil
	more["sessionContext"] = map[string]any{"rootSessionId": s.ID}
	more["workspaceRoots"], more["workspaceInfo"] = []any{dir}, map[string]any{"rootPath": dir}
	return more
}

func (s *Session) clineMessage(role string, part map[string]any) []any {
	message := map[string]any{"id": fmt.Sprintf("msg_%06d", s.next()), "role": role, "content": []any{part}, "ts": 1795511233150 + s.number}
	if role == "assistant" {
		message["modelInfo"] = map[string]any{"id": "fake-1", "provider": "openai-compatible"}
		message["metrics"] = map[string]any{"inputTokens": 3, "outputTokens": 20, "cacheReadTokens": 0, "cacheWriteTokens": 0}
	}
	return []any{message}
}

// Generic is an agent without an adapter, whose transcript has records of our own form.
var Generic = &Dialect{
	Agent: "generic", Start: "session-start", Prompt: "turn-start", Stop: "turn-end", End: "session-end",
	path: func(_, id string) string { return ".journal/" + id + ".jsonl" },
	payload: func(s *Session) map[string]any {
		return map[string]any{"version": 1, "session_id": s.ID, "transcript_path": s.Path, "cwd": s.Host.Dir(s.WT), "agent": "Journal"}
	},
	asked: func(s *Session, text string) []any {
		return s.genericLine("user", map[string]any{"text": text})
	},
	answered: func(s *Session, text string) []any {
		return s.genericLine("assistant", map[string]any{"text": text})
	},
	called: func(s *Session, c *call) []any {
		use := map[string]any{"id": c.id, "name": strings.ToLower(c.tool), "input": c.input}
		switch c.tool {
		case "Write", "Edit":
			edit := map[string]any{"path": s.path(c.path), "texts": []any{c.now}}
			if c.tool == "Edit" && c.was != "" {
				edit["texts"], edit["replaced"] = []any{c.input["new_string"]}, []any{c.input["old_string"]}
			}
			use["edits"] = []any{edit}
		case "Bash":
			use["command"], use["background"] = c.input["command"], c.input["run_in_background"] == true
		case "Task":
			use["starts"] = true
		case "Read", "Grep", "Glob":
			use["reads"] = true
		}
		return s.genericLine("assistant", map[string]any{"kind": "call", "call": use})
	},
	returned: func(s *Session, c *call) []any {
		return s.genericLine("tool", map[string]any{"kind": "result", "call_id": c.id, "text": "ok"})
	},
}

func (s *Session) genericLine(role string, part map[string]any) []any {
	return []any{map[string]any{"role": role, "id": fmt.Sprint(s.next()), "time": stamp(), "parts": []any{part}}}
}
