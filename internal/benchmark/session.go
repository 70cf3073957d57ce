package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// agentSession is one session of Claude Code: a growing transcript, and the hooks it calls.
type agentSession struct {
	*repo
	id      string
	path    string
	parent  string
	pending bytes.Buffer // lines not yet in the file
	changed []string     // paths that it edited and made
}

// newSession begins a session.
func (r *repo) newSession() *agentSession {
	k := &agentSession{repo: r}
	k.id = k.uuid()
	k.path = filepath.Join(r.home(), ".claude", "projects", strings.ReplaceAll(r.dir, "/", "-"), k.id+".jsonl")
	k.write(k.path, nil)
	k.hook("session-start", "SessionStart", map[string]any{"source": "startup"})
	return k
}

func (k *agentSession) uuid() string {
	a, b := k.words.Uint64(), k.words.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0xfff, b&0xffffffffffff)
}

// hook runs one of entire's hooks as the agent does.
func (k *agentSession) hook(verb, event string, more map[string]any) sample {
	payload := map[string]any{"session_id": k.id, "transcript_path": k.path, "cwd": k.dir, "permission_mode": "default", "hook_event_name": event}
	maps.Copy(payload, more)
	data, err := json.Marshal(payload)
	k.check(err)
	return k.measure(k.dir, data, "entire", "hooks", "claude-code", verb)
}

// prompt begins a turn. The agent writes its own record after the hook.
func (k *agentSession) prompt() sample {
	text := "Please " + k.words.sentence(12)
	s := k.hook("user-prompt-submit", "UserPromptSubmit", map[string]any{"prompt": text})
	k.add("user", map[string]any{"role": "user", "content": text})
	k.flush()
	return s
}

// edit changes n tracked files and creates made new ones, as the agent.
func (k *agentSession) edit(n, made int) {
	for range n {
		path := filepath.Join(k.dir, k.words.pick(k.files))
		old := k.read(path)
		line := "// " + k.words.sentence(6) + fmt.Sprintf(" %d\n", k.words.IntN(1e9))
		at := bytes.IndexByte(old, '\n') + 1
		k.write(path, append(append(append([]byte(nil), old[:at]...), line...), old[at:]...))
		k.changed = append(k.changed, path)
		k.tool("Edit", map[string]any{"file_path": path, "old_string": string(old[:at]), "new_string": string(old[:at]) + line}, "The file "+path+" has been updated.")
	}
	for range made {
		path := filepath.Join(k.dir, "src", "made", fmt.Sprintf("%s_%d.py", k.words.pick(nouns), k.words.IntN(1e9)))
		body := k.words.text(2500)
		k.write(path, []byte(body))
		k.changed = append(k.changed, path)
		k.tool("Write", map[string]any{"file_path": path, "content": body}, "File created successfully at: "+path)
	}
	k.flush()
}

// create makes a file with one call, whose result shows that there was none.
func (k *agentSession) create(path, body string) {
	id := "toolu_01" + fmt.Sprintf("%022d", k.words.Uint64())
	k.write(path, []byte(body))
	k.assistant(map[string]any{"type": "tool_use", "id": id, "name": "Write", "input": map[string]any{"file_path": path, "content": body}})
	k.line(map[string]any{"type": "user", "toolUseResult": map[string]any{"type": "create", "filePath": path, "content": body, "structuredPatch": []any{}, "originalFile": nil},
		"message": map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": "File created successfully at: " + path}}}})
}

// say makes the agent read files and write text until the transcript grew by n bytes.
func (k *agentSession) say(n int) {
	for done := 0; done < n && k.ok(); {
		body := k.words.text(min(12000, max(400, n-done)))
		k.tool("Read", map[string]any{"file_path": filepath.Join(k.dir, k.words.pick(k.files))}, body)
		k.assistant(map[string]any{"type": "text", "text": "The " + k.words.sentence(40) + "."})
		done += len(body) + 1700
		if k.pending.Len() > 1<<20 {
			k.flush()
		}
	}
	k.flush()
}

// stop ends a turn.
func (k *agentSession) stop() sample {
	k.assistant(map[string]any{"type": "text", "text": "Done: " + k.words.sentence(30)})
	k.line(map[string]any{"type": "progress", "data": map[string]any{"type": "hook_progress", "hookEvent": "Stop"}})
	k.flush()
	return k.hook("stop", "Stop", map[string]any{"stop_hook_active": false})
}

func (k *agentSession) end() sample {
	return k.hook("session-end", "SessionEnd", map[string]any{"reason": "exit"})
}

func (k *agentSession) tool(name string, input map[string]any, result string) {
	id := "toolu_01" + fmt.Sprintf("%022d", k.words.Uint64())
	k.assistant(map[string]any{"type": "tool_use", "id": id, "name": name, "input": input})
	k.add("user", map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": result}}})
}

func (k *agentSession) assistant(content map[string]any) {
	k.add("assistant", map[string]any{"id": "msg_01" + fmt.Sprintf("%022d", k.words.Uint64()), "type": "message", "role": "assistant",
		"model": "claude-sonnet-4-5", "content": []any{content},
		"usage": map[string]any{"input_tokens": 4, "cache_creation_input_tokens": 2000, "cache_read_input_tokens": 40000, "output_tokens": 300}})
}

func (k *agentSession) add(kind string, message any) {
	k.line(map[string]any{"type": kind, "message": message})
}

// line appends one record with the members that Claude Code puts into each.
func (k *agentSession) line(record map[string]any) {
	uuid := k.uuid()
	maps.Copy(record, map[string]any{"parentUuid": k.parent, "uuid": uuid, "sessionId": k.id, "cwd": k.dir, "version": "2.0.14",
		"isSidechain": false, "userType": "external", "gitBranch": "main", "timestamp": "2026-01-02T03:04:05.678Z"})
	k.parent = uuid
	data, err := json.Marshal(record)
	k.check(err)
	k.pending.Write(data)
	k.pending.WriteByte('\n')
}

func (k *agentSession) flush() {
	if !k.ok() {
		return
	}
	f, err := os.OpenFile(k.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if !k.check(err) {
		return
	}
	_, err = f.Write(k.pending.Bytes())
	k.check(err)
	k.check(f.Close())
	k.pending.Reset()
}

// length returns the transcript's size in bytes.
func (k *agentSession) length() int64 {
	fi, err := os.Stat(k.path)
	if !k.check(err) {
		return 0
	}
	return fi.Size()
}
