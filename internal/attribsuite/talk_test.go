package attribsuite

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// talk is one session of an agent: what it writes into its transcript, and the
// hooks it calls.
type talk struct {
	w      *world
	id     string
	path   string
	turn   int
	turns  map[int]int // the turn by the number that the notation gives it
	number int
	open   bool // in a turn
	said   []any
	result map[string]any // of the call that is about to be done
}

// gemini is the letter of the sessions of Gemini CLI, whose transcript is one
// document; all others are of Claude Code.
const gemini = "G"

// quiet is the letter of a session of Claude Code whose records have no IDs of requests.
const quiet = "Q"

// talk is the session of a letter, which begins if it has not yet.
func (w *world) talk(name string) *talk {
	if k := w.talks[name]; k != nil {
		return k
	}
	sum := fnv.New32a()
	sum.Write([]byte(name))
	k := &talk{w: w, turns: map[int]int{}, id: fmt.Sprintf("%08x-0000-4000-8000-000000000001", sum.Sum32())}
	w.talks[name] = k
	if name == gemini {
		k.path = filepath.Join(w.Home, ".gemini", "tmp", "x", "chats", "session-2026-01-02T03-04-"+k.id[:8]+".json")
	} else {
		k.path = filepath.Join(w.Home, ".claude", "projects", "x", k.id+".jsonl")
	}
	k.write("")
	k.hook("session-start", map[string]any{"source": "startup"})
	return k
}

func (k *talk) isGemini() bool { return strings.HasSuffix(k.path, ".json") }

func (k *talk) write(text string) {
	err := os.MkdirAll(filepath.Dir(k.path), 0o755)
	if err == nil {
		flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
		if k.isGemini() {
			flags = os.O_CREATE | os.O_WRONLY | os.O_TRUNC
		}
		var f *os.File
		if f, err = os.OpenFile(k.path, flags, 0o600); err == nil {
			_, err = f.WriteString(text)
			f.Close()
		}
	}
	if err != nil {
		panic(failure{"transcript", err.Error()})
	}
}

// hook is one call of ours by the agent; it must not fail, nor say anything but at
// the beginning.
func (k *talk) hook(verb string, more map[string]any) {
	agent := "claude-code"
	if k.isGemini() {
		agent = "gemini"
	}
	payload := map[string]any{"session_id": k.id, "transcript_path": k.path, "cwd": k.w.Dir, "hook_event_name": verb}
	for key, v := range more {
		payload[key] = v
	}
	r := k.w.run(encode(payload), filepath.Join(bin, "entire"), "hooks", agent, verb)
	if r.code != nil || r.out != "" && verb != "session-start" {
		panic(failure{"hook", fmt.Sprintf("%s: %v, says %q %q", verb, r.code, r.out, r.err)})
	}
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// say adds one record to the transcript.
func (k *talk) say(kind string, message map[string]any) {
	k.number++
	if k.isGemini() {
		message["id"] = fmt.Sprintf("%08d-1111-4111-8111-111111111111", k.number)
		message["type"] = map[string]string{"user": "user", "assistant": "gemini"}[kind]
		if kind == "assistant" {
			message["tokens"] = map[string]any{"input": 3, "output": 20, "cached": 0, "total": 23}
		}
		k.said = append(k.said, message)
		k.write(encode(map[string]any{"sessionId": k.id, "startTime": "2026-01-02T03:04:05.000Z", "messages": k.said}))
		return
	}
	message["role"] = kind
	line := map[string]any{"type": kind, "uuid": fmt.Sprintf("%08d-2222-4222-8333-%012d", k.number, k.turn),
		"sessionId": k.id, "cwd": k.w.Dir, "message": message}
	if kind == "assistant" && k != k.w.talks[quiet] {
		line["requestId"] = fmt.Sprintf("req_%08d", k.number)
	}
	if r := message["toolUseResult"]; r != nil {
		line["toolUseResult"] = r
		delete(message, "toolUseResult")
	}
	k.write(encode(line) + "\n")
}

func (k *talk) prompt(number string) {
	k.turn++
	if n, err := strconv.Atoi(number); err == nil {
		k.turns[n] = k.turn
	}
	text := fmt.Sprintf("Please do what turn %d is about", k.turn)
	k.open = true
	if k.isGemini() {
		k.hook("before-agent", map[string]any{"prompt": text})
		k.say("user", map[string]any{"content": text})
		return
	}
	k.hook("user-prompt-submit", map[string]any{"prompt": text})
	k.say("user", map[string]any{"content": text})
}

func (k *talk) stop() {
	k.open = false
	if k.isGemini() {
		k.say("assistant", map[string]any{"content": "Done."})
		k.hook("after-agent", nil)
		return
	}
	k.say("assistant", map[string]any{"id": fmt.Sprintf("msg_end_%d", k.number), "model": "claude-sonnet-4-5", "content": []any{map[string]any{"type": "text", "text": "Done."}}})
	k.hook("stop", map[string]any{"stop_hook_active": false})
}

func (k *talk) end() {
	k.open = false
	k.hook("session-end", map[string]any{"reason": "exit"})
}

// call is a use of a tool; the answer is its result.
func (k *talk) call(tool string, input map[string]any) (done func()) {
	id := fmt.Sprintf("toolu_%s_%06d", k.id[:8], k.number)
	if k.isGemini() {
		tool = map[string]string{"Write": "write_file", "Edit": "replace", "Bash": "run_shell_command"}[tool]
		k.say("assistant", map[string]any{"content": "", "model": "gemini-3-pro",
			"toolCalls": []any{map[string]any{"id": id, "name": tool, "args": input, "status": "success"}}})
		return func() {}
	}
	k.say("assistant", map[string]any{"id": "msg_" + id, "model": "claude-sonnet-4-5", "usage": map[string]any{"input_tokens": 3, "output_tokens": 20},
		"content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}}})
	return func() {
		message := map[string]any{"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": "ok"}}}
		if (k == k.w.talks["A"] || k.w.results) && k.result != nil {
			message["toolUseResult"] = k.result
		}
		k.result = nil
		k.say("user", message)
	}
}

// put makes a file what it shall be by the tool that writes whole files, and edits
// by the one that replaces a part of it. Session A's results show what was added, as
// Claude Code's do; the others' do not, unless the world has results.
func (k *talk) put(path, text string) {
	was := k.was(path)
	done := k.call("Write", map[string]any{"file_path": k.w.Path(path), "content": text})
	kind := "update"
	if was == "" {
		kind = "create"
	}
	k.w.Write(path, text)
	k.result = map[string]any{"type": kind, "filePath": k.w.Path(path), "content": text, "structuredPatch": patch(was, text)}
	done()
}

func (k *talk) edit(path, text string) {
	was := k.was(path)
	old, now := difference(was, text)
	done := k.call("Edit", map[string]any{"file_path": k.w.Path(path), "old_string": old, "new_string": now})
	k.w.Write(path, text)
	k.result = map[string]any{"filePath": k.w.Path(path), "oldString": old, "newString": now, "structuredPatch": patch(was, text)}
	done()
}

func (k *talk) was(path string) string {
	if !k.w.Exists(path) {
		return ""
	}
	return k.w.Read(path)
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

// shell is a command of the agent's: what it changes, the transcript does not say.
func (k *talk) shell(command string, do func()) {
	done := k.call("Bash", map[string]any{"command": command})
	k.w.asAgent(do)
	done()
}

// tool is a call of a tool that does nothing to files.
func (k *talk) tool(name, input string) {
	var args map[string]any
	if err := json.Unmarshal([]byte(input), &args); err != nil {
		panic(failure{"notation", err.Error()})
	}
	k.call(name, args)()
}

// task is a subagent that makes one call of a tool, as its own transcript tells.
func (k *talk) task(name, input string) {
	done := k.call("Task", map[string]any{"prompt": "look around"})
	agentID := fmt.Sprintf("a%07d", k.number)
	dir := filepath.Join(strings.TrimSuffix(k.path, ".jsonl"), "subagents")
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		line := fmt.Sprintf(`{"type":"assistant","isSidechain":true,"agentId":%q,"uuid":"s","message":{"role":"assistant","id":"s","content":[{"type":"tool_use","id":"s1","name":%q,"input":%s}]}}`, agentID, name, input)
		err = os.WriteFile(filepath.Join(dir, "agent-"+agentID+".jsonl"), []byte(line+"\n"), 0o600)
	}
	if err != nil {
		panic(failure{"transcript", err.Error()})
	}
	k.result, k.w.results = map[string]any{"agentId": agentID, "status": "completed"}, true
	done()
}

// notebook makes a notebook of one cell by the tool that edits cells, which writes the
// whole file anew.
func (k *talk) notebook(path, source string) {
	done := k.call("NotebookEdit", map[string]any{"notebook_path": k.w.Path(path), "cell_type": "code", "edit_mode": "insert", "new_source": source})
	cell := map[string]any{"cell_type": "code", "id": "x", "metadata": map[string]any{}, "source": source, "outputs": []any{}}
	data, err := json.MarshalIndent(map[string]any{"cells": []any{cell}, "nbformat": 4}, "", " ")
	if err != nil {
		panic(err)
	}
	k.w.Write(path, string(data)+"\n")
	done()
}

// difference is what lies between the lines that two texts have in common at both
// ends, with one of these before it, as an agent names a place.
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
