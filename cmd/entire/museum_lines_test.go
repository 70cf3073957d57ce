package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// The programs of agents write these lines as they were seen to (testdata/agents, agent/*/testdata).

type obj = map[string]any

// claudeLines also keeps a copy of each file before the first change to it, as Claude Code does.
type claudeLines struct{}

func (claudeLines) begin(*testscript.TestScript, *visit) {}

func (claudeLines) line(ts *testscript.TestScript, v *visit, kind string, message obj, more obj) {
	uuid := fmt.Sprintf("00000000-0000-4000-8000-%012d", v.next())
	out := obj{"type": kind, "uuid": uuid, "parentUuid": v.parents[v.session], "isSidechain": false, "sessionId": v.session, "cwd": ts.MkAbs("."),
		"timestamp": stamp(), "version": "2.1.330", "message": message}
	v.parents[v.session] = uuid
	maps.Copy(out, more)
	v.line(ts, out)
}

func (w claudeLines) user(ts *testscript.TestScript, v *visit, text string) {
	w.line(ts, v, "user", obj{"role": "user", "content": text}, nil)
}

func (w claudeLines) says(ts *testscript.TestScript, v *visit, text string) {
	w.line(ts, v, "assistant", obj{"id": fmt.Sprintf("msg_%d", v.next()), "role": "assistant", "content": []any{obj{"type": "text", "text": text}}}, nil)
}

func (w claudeLines) call(ts *testscript.TestScript, v *visit, c *call) {
	if c.kind == "write" || c.kind == "edit" {
		w.copy(ts, v, c)
	}
	w.line(ts, v, "assistant", obj{"id": fmt.Sprintf("msg_%d", v.next()), "role": "assistant", "content": []any{
		obj{"type": "tool_use", "id": c.id, "name": c.tool, "input": c.input}}}, nil)
}

func (claudeLines) copy(ts *testscript.TestScript, v *visit, c *call) {
	name := any(nil)
	if c.existed {
		stored := fmt.Sprintf("%.16x@v%d", sha256.Sum256([]byte(c.path)), v.next())
		dir := homeFile(ts, ".claude", "file-history", v.session)
		ts.Check(os.MkdirAll(dir, 0o755))
		ts.Check(os.WriteFile(filepath.Join(dir, stored), []byte(c.was), 0o644))
		name = stored
	}
	path, err := filepath.Rel(ts.MkAbs("."), c.path)
	ts.Check(err)
	v.line(ts, obj{"type": "file-history-snapshot", "messageId": fmt.Sprintf("m%d", v.next()), "isSnapshotUpdate": true, "snapshot": obj{
		"messageId": "m", "timestamp": stamp(), "trackedFileBackups": obj{path: obj{"backupFileName": name, "version": 1, "backupTime": stamp()}}}})
}

func (w claudeLines) result(ts *testscript.TestScript, v *visit, c *call) {
	var result any = obj{"stdout": c.output, "stderr": "", "interrupted": false, "isImage": false}
	content := c.output
	switch c.kind {
	case "read":
		lines := strings.Count(c.output, "\n") + 1
		result = obj{"type": "text", "file": obj{"filePath": c.path, "content": c.output, "numLines": lines, "startLine": 1, "totalLines": lines}}
		var shown strings.Builder
		for i, line := range strings.Split(c.output, "\n") {
			fmt.Fprintf(&shown, "%6d→%s\n", i+1, line)
		}
		content = shown.String()
	case "write":
		kind, was := "create", any(nil)
		if c.existed {
			kind, was = "update", c.was
		}
		result = obj{"type": kind, "filePath": c.path, "content": c.to, "structuredPatch": []any{}, "originalFile": was}
	case "edit":
		result = obj{"filePath": c.path, "oldString": c.old, "newString": c.new, "originalFile": c.was, "structuredPatch": []any{}, "userModified": false, "replaceAll": false}
	}
	w.line(ts, v, "user", obj{"role": "user", "content": []any{obj{"type": "tool_result", "tool_use_id": c.id, "content": content}}}, obj{"toolUseResult": result})
}

// shownDiff is how Gemini CLI and Qwen Code note a change.
func shownDiff(c *call) any {
	if c.kind != "write" && c.kind != "edit" {
		return c.output
	}
	return obj{"fileDiff": "", "fileName": filepath.Base(c.path), "filePath": c.path, "originalContent": c.was, "newContent": c.to}
}

type geminiLines struct{}

func (geminiLines) begin(ts *testscript.TestScript, v *visit) {
	ts.Check(os.MkdirAll(homeFile(ts, ".gemini"), 0o755))
	projects, err := json.Marshal(obj{"projects": obj{ts.MkAbs("."): "repo"}})
	ts.Check(err)
	ts.Check(os.WriteFile(homeFile(ts, ".gemini", "projects.json"), projects, 0o600))
	sum := sha256.Sum256([]byte(ts.MkAbs(".")))
	v.line(ts, obj{"sessionId": v.session, "projectHash": fmt.Sprintf("%x", sum), "startTime": stamp(), "lastUpdated": stamp(), "kind": "main"})
	ts.Check(os.WriteFile(homeFile(ts, ".gemini", "tmp", "repo", ".project_root"), []byte(ts.MkAbs(".")), 0o600))
}

func (geminiLines) user(ts *testscript.TestScript, v *visit, text string) {
	v.line(ts, obj{"id": fmt.Sprintf("m-%d", v.next()), "timestamp": stamp(), "type": "user", "content": []any{obj{"text": text}}})
}

func (geminiLines) says(ts *testscript.TestScript, v *visit, text string) {
	v.line(ts, obj{"id": fmt.Sprintf("m-%d", v.next()), "timestamp": stamp(), "type": "gemini", "content": text, "model": "gemini-3-pro"})
}

func (geminiLines) call(*testscript.TestScript, *visit, *call) {}

func (geminiLines) result(ts *testscript.TestScript, v *visit, c *call) {
	v.line(ts, obj{"id": fmt.Sprintf("m-%d", v.next()), "timestamp": stamp(), "type": "gemini", "content": "", "model": "gemini-3-pro", "toolCalls": []any{
		obj{"id": c.id, "name": c.tool, "args": c.input, "status": "success", "timestamp": stamp(), "resultDisplay": shownDiff(c),
			"result": []any{obj{"functionResponse": obj{"id": c.id, "name": c.tool, "response": obj{"output": c.output}}}}}}})
}

type qwenLines struct{}

func (qwenLines) begin(*testscript.TestScript, *visit) {}

func (qwenLines) line(ts *testscript.TestScript, v *visit, kind, provenance, role string, parts []any, more obj) {
	n := v.next()
	out := obj{"uuid": fmt.Sprintf("u%d", n), "parentUuid": v.parents[v.session], "sessionId": v.session, "timestamp": stamp(), "type": kind, "cwd": ts.MkAbs("."),
		"version": "0.24.4", "gitBranch": "main", "provenance": provenance, "message": obj{"role": role, "parts": parts}}
	v.parents[v.session] = out["uuid"]
	maps.Copy(out, more)
	v.line(ts, out)
}

func (w qwenLines) user(ts *testscript.TestScript, v *visit, text string) {
	w.line(ts, v, "user", "real_user", "user", []any{obj{"text": text}}, nil)
}

func (w qwenLines) says(ts *testscript.TestScript, v *visit, text string) {
	w.line(ts, v, "assistant", "assistant_output", "model", []any{obj{"text": text}}, obj{"model": "qwen3-coder"})
}

func (w qwenLines) call(ts *testscript.TestScript, v *visit, c *call) {
	w.line(ts, v, "assistant", "assistant_output", "model", []any{obj{"functionCall": obj{"id": c.id, "name": c.tool, "args": c.input}}}, obj{"model": "qwen3-coder"})
}

func (w qwenLines) result(ts *testscript.TestScript, v *visit, c *call) {
	w.line(ts, v, "tool_result", "tool_result", "user", []any{obj{"functionResponse": obj{"id": c.id, "name": c.tool, "response": obj{"output": c.output}}}},
		obj{"toolCallResult": obj{"callId": c.id, "status": "success", "resultDisplay": shownDiff(c)}})
}

type codexLines struct{}

func (codexLines) line(ts *testscript.TestScript, v *visit, kind string, payload obj) {
	v.line(ts, obj{"timestamp": stamp(), "ordinal": v.next(), "type": kind, "payload": payload})
}

func (w codexLines) begin(ts *testscript.TestScript, v *visit) {
	w.line(ts, v, "session_meta", obj{"session_id": v.session, "id": v.session, "timestamp": stamp(), "cwd": ts.MkAbs("."), "cli_version": "0.169.0", "source": "cli"})
	w.line(ts, v, "turn_context", obj{"turn_id": "t1", "cwd": ts.MkAbs("."), "model": "gpt-5.5"})
}

func (w codexLines) user(ts *testscript.TestScript, v *visit, text string) {
	w.line(ts, v, "response_item", obj{"type": "message", "id": fmt.Sprintf("msg_u%d", v.next()), "role": "user", "content": []any{obj{"type": "input_text", "text": text}}})
}

func (w codexLines) says(ts *testscript.TestScript, v *visit, text string) {
	w.line(ts, v, "response_item", obj{"type": "message", "id": fmt.Sprintf("msg_a%d", v.next()), "role": "assistant", "content": []any{obj{"type": "output_text", "text": text}}})
}

func (w codexLines) call(ts *testscript.TestScript, v *visit, c *call) {
	if c.kind == "shell" {
		args := strings.TrimSpace(string(asAgentsWrite(ts, c.input)))
		w.line(ts, v, "response_item", obj{"type": "function_call", "id": "fc_" + c.id, "call_id": c.id, "name": c.tool, "arguments": args})
		return
	}
	w.line(ts, v, "response_item", obj{"type": "custom_tool_call", "id": "ctc_" + c.id, "call_id": c.id, "name": c.tool, "status": "completed", "input": patchFor(ts, c)})
}

// patchFor is the text of a patch that makes the change.
func patchFor(ts *testscript.TestScript, c *call) string {
	path, err := filepath.Rel(ts.MkAbs("."), c.path)
	ts.Check(err)
	signed := func(sign, text string) string {
		var out strings.Builder
		for line := range strings.Lines(text) {
			out.WriteString(sign + strings.TrimSuffix(line, "\n") + "\n")
		}
		return out.String()
	}
	body := "*** Update File: " + path + "\n@@\n"
	switch {
	case !c.existed:
		body = "*** Add File: " + path + "\n" + signed("+", c.to)
	case c.kind == "write":
		body = "*** Delete File: " + path + "\n*** Add File: " + path + "\n" + signed("+", c.to)
	default: // whole lines, as Codex patches them
		from := strings.LastIndexByte(c.was[:strings.Index(c.was, c.old)], '\n') + 1
		end := strings.Index(c.was, c.old) + len(c.old)
		if n := strings.IndexByte(c.was[end:], '\n'); n >= 0 {
			end += n
		}
		was := c.was[from:end]
		body += signed("-", was) + signed("+", strings.Replace(was, c.old, c.new, 1))
	}
	return "*** Begin Patch\n" + body + "*** End Patch"
}

func (w codexLines) result(ts *testscript.TestScript, v *visit, c *call) {
	kind, output := "function_call_output", "Exit code: 0\nWall time: 0 seconds\nOutput:\n"+c.output
	if c.kind != "shell" {
		kind = "custom_tool_call_output"
	}
	w.line(ts, v, "response_item", obj{"type": kind, "id": "o_" + c.id, "call_id": c.id, "output": output})
}

// droidLines are what droid, Cursor and pi have in common: a message for each call and result.
type droidLines struct{}

func (droidLines) message(ts *testscript.TestScript, v *visit, role string, content []any) {
	v.line(ts, obj{"type": "message", "id": fmt.Sprintf("d%d", v.next()), "timestamp": stamp(), "message": obj{"role": role, "content": content}})
}

func (droidLines) begin(ts *testscript.TestScript, v *visit) {
	v.line(ts, obj{"type": "session_start", "id": v.session, "title": "Work", "version": 2, "cwd": ts.MkAbs(".")})
}

func (w droidLines) user(ts *testscript.TestScript, v *visit, text string) {
	w.message(ts, v, "user", []any{obj{"type": "text", "text": text}})
}

func (w droidLines) says(ts *testscript.TestScript, v *visit, text string) {
	w.message(ts, v, "assistant", []any{obj{"type": "text", "text": text}})
}

func (w droidLines) call(ts *testscript.TestScript, v *visit, c *call) {
	w.message(ts, v, "assistant", []any{obj{"type": "tool_use", "id": c.id, "name": c.tool, "input": c.input}})
}

func (w droidLines) result(ts *testscript.TestScript, v *visit, c *call) {
	w.message(ts, v, "user", []any{obj{"type": "tool_result", "tool_use_id": c.id, "is_error": false, "content": c.output}})
}

type cursorLines struct{}

func (cursorLines) begin(*testscript.TestScript, *visit) {}

func (cursorLines) message(ts *testscript.TestScript, v *visit, role string, block obj) {
	v.line(ts, obj{"role": role, "message": obj{"content": []any{block}}})
}

func (w cursorLines) user(ts *testscript.TestScript, v *visit, text string) {
	w.message(ts, v, "user", obj{"type": "text", "text": "<user_query>\n" + text + "\n</user_query>"})
}

func (w cursorLines) says(ts *testscript.TestScript, v *visit, text string) {
	w.message(ts, v, "assistant", obj{"type": "text", "text": text})
}

func (w cursorLines) call(ts *testscript.TestScript, v *visit, c *call) {
	w.message(ts, v, "assistant", obj{"type": "tool_use", "id": c.id, "name": c.tool, "input": c.input})
}

func (cursorLines) result(*testscript.TestScript, *visit, *call) {} // it writes none

type copilotLines struct{}

func (copilotLines) event(ts *testscript.TestScript, v *visit, kind string, data obj) {
	v.line(ts, obj{"type": kind, "data": data, "id": fmt.Sprintf("e%d", v.next()), "timestamp": stamp(), "parentId": nil})
}

func (w copilotLines) begin(ts *testscript.TestScript, v *visit) {
	w.event(ts, v, "session.start", obj{"copilotVersion": "1.0.102", "selectedModel": "gpt-5.2", "context": obj{"cwd": ts.MkAbs(".")}})
}

func (w copilotLines) user(ts *testscript.TestScript, v *visit, text string) {
	w.event(ts, v, "user.message", obj{"content": text})
}

// At the end of a turn it notes the call of the hook, for which the hook waits.
func (w copilotLines) says(ts *testscript.TestScript, v *visit, text string) {
	w.event(ts, v, "assistant.message", obj{"model": "gpt-5.2", "content": text, "apiCallId": fmt.Sprintf("c%d", v.next())})
	v.said = time.Now().UnixMilli()
	w.event(ts, v, "hook.start", obj{"hookType": "agentStop", "input": obj{"timestamp": v.said}})
}

func (w copilotLines) call(ts *testscript.TestScript, v *visit, c *call) {
	w.event(ts, v, "assistant.message", obj{"model": "gpt-5.2", "content": "", "apiCallId": fmt.Sprintf("c%d", v.next()), "toolRequests": []any{
		obj{"toolCallId": c.id, "name": c.tool, "arguments": c.input, "type": "function"}}})
}

func (w copilotLines) result(ts *testscript.TestScript, v *visit, c *call) {
	data := obj{"toolCallId": c.id, "success": true, "result": obj{"content": c.output}}
	if c.kind == "write" || c.kind == "edit" {
		data["fileEdits"] = []any{obj{"path": c.path, "kind": map[string]string{"write": "create", "edit": "edit"}[c.kind]}}
	}
	w.event(ts, v, "tool.execution_complete", data)
}

type piLines struct{}

func (piLines) message(ts *testscript.TestScript, v *visit, message obj) {
	n := v.next()
	v.line(ts, obj{"type": "message", "id": fmt.Sprintf("e%d", n), "parentId": v.parents[v.session], "timestamp": stamp(), "message": message})
	v.parents[v.session] = fmt.Sprintf("e%d", n)
}

func (piLines) begin(ts *testscript.TestScript, v *visit) {
	v.line(ts, obj{"type": "session", "version": 3, "id": v.session, "timestamp": stamp(), "cwd": ts.MkAbs(".")})
}

func (w piLines) user(ts *testscript.TestScript, v *visit, text string) {
	w.message(ts, v, obj{"role": "user", "content": []any{obj{"type": "text", "text": text}}, "timestamp": time.Now().UnixMilli()})
}

func (w piLines) says(ts *testscript.TestScript, v *visit, text string) {
	w.message(ts, v, obj{"role": "assistant", "content": []any{obj{"type": "text", "text": text}}, "model": "big-1", "stopReason": "stop"})
}

func (w piLines) call(ts *testscript.TestScript, v *visit, c *call) {
	w.message(ts, v, obj{"role": "assistant", "content": []any{obj{"type": "toolCall", "id": c.id, "name": c.tool, "arguments": c.input}}, "model": "big-1", "stopReason": "toolUse"})
}

func (w piLines) result(ts *testscript.TestScript, v *visit, c *call) {
	w.message(ts, v, obj{"role": "toolResult", "toolCallId": c.id, "toolName": c.tool, "content": []any{obj{"type": "text", "text": c.output}}, "isError": false})
}
