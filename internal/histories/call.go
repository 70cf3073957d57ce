package histories

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// call is a use of a tool, in the words of Claude Code.
type call struct {
	id    string
	tool  string
	input map[string]any

	path     string // of the file that it writes
	was, now string // its text before and after; equal if it writes none
	agentID  string // of the subagent that it started
	refused  bool   // a person did not allow it

	state, shows map[string]any // of a call whose result changes the message: what that says of it now, and what it changed
}

// begin writes a call to the transcript; done writes its result.
func (s *Session) begin(c *call) (done func()) {
	d := s.dialect()
	c.id = fmt.Sprintf("toolu_%.8s_%06d", s.ID, s.number)
	if command, is := c.input["command"].(string); is && d.before != nil {
		d.before(s, command)
	}
	if d.begins != nil {
		d.begins(s, c)
	}
	if d.called != nil {
		s.add(d.called(s, c)...)
	}
	return func() {
		if d.ends != nil {
			d.ends(s, c)
		}
		if d.returned != nil {
			s.add(d.returned(s, c)...)
		}
	}
}

// makes reports whether a call is a command that writes a file and does nothing to git: before others, the guard may save
// the files, which no row expects.
func (c *call) makes() bool {
	command, is := c.input["command"].(string)
	return is && strings.HasPrefix(command, "make ")
}

func (s *Session) path(path string) string {
	return filepath.Join(s.Host.Dir(s.WT), filepath.FromSlash(path))
}

// Write makes a file what it shall be by the tool that writes whole files. do writes it.
func (s *Session) Write(path, was, text string, do func()) {
	done := s.begin(&call{tool: "Write", input: map[string]any{"file_path": s.path(path), "content": text}, path: path, was: was, now: text})
	do()
	done()
}

// Edit makes a file what it shall be by the tool that replaces a part of it. do writes it.
func (s *Session) Edit(path, was, text string, do func()) {
	old, now := difference(was, text)
	done := s.begin(&call{tool: "Edit", input: map[string]any{"file_path": s.path(path), "old_string": old, "new_string": now}, path: path, was: was, now: text})
	do()
	done()
}

// Refused is a call of the tool that replaces a part of a file, which a person does not allow.
func (s *Session) Refused(path, was, text string) {
	old, now := difference(was, text)
	s.begin(&call{tool: "Edit", input: map[string]any{"file_path": s.path(path), "old_string": old, "new_string": now}, path: path, refused: true})()
}

// Shell is a command of the agent's. The transcript does not say what it changes.
func (s *Session) Shell(command string, do func()) {
	done := s.begin(&call{tool: "Bash", input: map[string]any{"command": command}})
	s.Host.AsAgent(do)
	done()
}

// Tool is a call of a tool that does nothing to files.
func (s *Session) Tool(name, input string) {
	var args map[string]any
	Check("notation", json.Unmarshal([]byte(input), &args))
	s.begin(&call{tool: name, input: args})()
}

// TaskEdit is a subagent that makes a file what it shall be by the tool that replaces a part of it.
func (s *Session) TaskEdit(path, was, text string, do func()) {
	old, now := difference(was, text)
	s.Task("Edit", Encode(map[string]any{"file_path": s.path(path), "old_string": old, "new_string": now}), do)
}

// Task is a subagent that makes one call of a tool, as its own transcript tells. do is what the tool does.
func (s *Session) Task(name, input string, do func()) {
	c := &call{tool: "Task", input: map[string]any{"prompt": "look around"}}
	done := s.begin(c)
	s.Host.AsAgent(do)
	c.agentID = fmt.Sprintf("a%07d", s.number)
	dir := filepath.Join(strings.TrimSuffix(s.Path, ".jsonl"), "subagents")
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		line := fmt.Sprintf(`{"type":"assistant","isSidechain":true,"agentId":%q,"uuid":"s-%s","message":{"role":"assistant","id":"s-%s","content":[{"type":"tool_use","id":"toolu_%s","name":%q,"input":%s}]}}`,
			c.agentID, c.agentID, c.agentID, c.agentID, name, input)
		err = os.WriteFile(filepath.Join(dir, "agent-"+c.agentID+".jsonl"), []byte(line+"\n"), 0o600)
	}
	Check("transcript", err)
	done()
}

// Notebook makes a notebook of one cell by the tool that edits cells. do writes the text that it gets.
func (s *Session) Notebook(path, source string, do func(text string)) {
	done := s.begin(&call{tool: "NotebookEdit", input: map[string]any{"notebook_path": s.path(path), "cell_type": "code", "edit_mode": "insert", "new_source": source}})
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
