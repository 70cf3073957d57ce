package histories

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// call is a use of a tool; done writes its result.
func (s *Session) call(tool string, input map[string]any) (done func()) {
	id := fmt.Sprintf("toolu_%.8s_%06d", s.ID, s.number)
	if s.Gemini() {
		tool = map[string]string{"Write": "write_file", "Edit": "replace", "Bash": "run_shell_command"}[tool]
		s.say("assistant", map[string]any{"content": "", "model": "gemini-3-pro",
			"toolCalls": []any{map[string]any{"id": id, "name": tool, "args": input, "status": "success"}}})
		return func() {}
	}
	s.say("assistant", map[string]any{"id": "msg_" + id, "model": "claude-sonnet-4-5", "usage": map[string]any{"input_tokens": 3, "output_tokens": 20},
		"content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}}})
	return func() {
		message := map[string]any{"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": "ok"}}}
		if *s.Results && s.result != nil {
			message["toolUseResult"] = s.result
		}
		s.result = nil
		s.say("user", message)
	}
}

func (s *Session) path(path string) string {
	return filepath.Join(s.Host.Dir(s.WT), filepath.FromSlash(path))
}

// Write makes a file what it shall be by the tool that writes whole files. do writes it.
func (s *Session) Write(path, was, text string, do func()) {
	done := s.call("Write", map[string]any{"file_path": s.path(path), "content": text})
	kind := "update"
	if was == "" {
		kind = "create"
	}
	do()
	s.result = map[string]any{"type": kind, "filePath": s.path(path), "content": text, "structuredPatch": patch(was, text)}
	done()
}

// Edit makes a file what it shall be by the tool that replaces a part of it. do writes it.
func (s *Session) Edit(path, was, text string, do func()) {
	old, now := difference(was, text)
	done := s.call("Edit", map[string]any{"file_path": s.path(path), "old_string": old, "new_string": now})
	do()
	s.result = map[string]any{"filePath": s.path(path), "oldString": old, "newString": now, "structuredPatch": patch(was, text)}
	done()
}

// Shell is a command of the agent's. The transcript does not say what it changes.
func (s *Session) Shell(command string, do func()) {
	done := s.call("Bash", map[string]any{"command": command})
	s.Host.AsAgent(do)
	done()
}

// Tool is a call of a tool that does nothing to files.
func (s *Session) Tool(name, input string) {
	var args map[string]any
	Check("notation", json.Unmarshal([]byte(input), &args))
	s.call(name, args)()
}

// TaskEdit is a subagent that makes a file what it shall be by the tool that replaces a part of it.
func (s *Session) TaskEdit(path, was, text string, do func()) {
	old, now := difference(was, text)
	s.Task("Edit", Encode(map[string]any{"file_path": s.path(path), "old_string": old, "new_string": now}), do)
}

// Task is a subagent that makes one call of a tool, as its own transcript tells. do is what the tool does.
func (s *Session) Task(name, input string, do func()) {
	done := s.call("Task", map[string]any{"prompt": "look around"})
	s.Host.AsAgent(do)
	agentID := fmt.Sprintf("a%07d", s.number)
	dir := filepath.Join(strings.TrimSuffix(s.Path, ".jsonl"), "subagents")
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		line := fmt.Sprintf(`{"type":"assistant","isSidechain":true,"agentId":%q,"uuid":"s-%s","message":{"role":"assistant","id":"s-%s","content":[{"type":"tool_use","id":"toolu_%s","name":%q,"input":%s}]}}`,
			agentID, agentID, agentID, agentID, name, input)
		err = os.WriteFile(filepath.Join(dir, "agent-"+agentID+".jsonl"), []byte(line+"\n"), 0o600)
	}
	Check("transcript", err)
	s.result = map[string]any{"agentId": agentID, "status": "completed"}
	done()
}

// Notebook makes a notebook of one cell by the tool that edits cells. do writes the text that it gets.
func (s *Session) Notebook(path, source string, do func(text string)) {
	done := s.call("NotebookEdit", map[string]any{"notebook_path": s.path(path), "cell_type": "code", "edit_mode": "insert", "new_source": source})
	cell := map[string]any{"cell_type": "code", "id": "x", "metadata": map[string]any{}, "source": source, "outputs": []any{}}
	data, err := json.MarshalIndent(map[string]any{"cells": []any{cell}, "nbformat": 4}, "", " ")
	Check("encode", err)
	do(string(data) + "\n")
	done()
}

// patch is one hunk: the lines that both have, those that went, and those that came.
func patch(was, now string) []any {
	a, b := strings.SplitAfter(was, "\n"), strings.SplitAfter(now, "\n")
	count := map[string]int{}
	for _, line := range a {
		count[line]++
	}
	var lines []string
	for _, line := range b {
		if count[line]--; count[line] < 0 && line != "" {
			lines = append(lines, "+"+strings.TrimSuffix(line, "\n"))
		}
	}
	for _, line := range a {
		if count[line] > 0 && line != "" {
			count[line]--
			lines = append(lines, "-"+strings.TrimSuffix(line, "\n"))
		}
	}
	return []any{map[string]any{"lines": lines}}
}

// difference is what lies between the lines that two texts have in common at both ends, with one of these before it,
// as an agent names a place.
func difference(was, now string) (string, string) {
	a, b := strings.SplitAfter(was, "\n"), strings.SplitAfter(now, "\n")
	lo := 0
	for lo < len(a) && lo < len(b) && a[lo] == b[lo] {
		lo++
	}
	ahi, bhi := len(a), len(b)
	for ahi > lo && bhi > lo && a[ahi-1] == b[bhi-1] {
		ahi, bhi = ahi-1, bhi-1
	}
	if lo = max(0, lo-1); lo == len(a)-1 && lo == len(b)-1 && a[lo] == "" {
		lo = max(0, lo-1) // no tool takes an edit of nothing
	}
	return strings.Join(a[lo:ahi], ""), strings.Join(b[lo:bhi], "")
}
