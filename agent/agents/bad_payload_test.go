package agents_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/internal/agenttest"
	"entire/agent/internal/jsontext"
	"entire/internal/testrepo"
)

// fields are the members of all adapters' payloads, in values that are right.
var fields = map[string]string{
	"session_id": `"s1"`, "sessionId": `"s1"`, "conversation_id": `"s1"`, "taskId": `"s1"`, "thread-id": `"s1"`,
	"sessionContext": `{"rootSessionId":"s1"}`, "cwd": `"/w"`, "workspaceRoots": `["/w"]`, "workspace_roots": `["/w"]`,
	"transcript_path": `"/t/s1.jsonl"`, "transcriptPath": `"/t/s1.jsonl"`, "agent_transcript_path": `"/t/a1.jsonl"`,
	"hook_event_name": `"Stop"`, "hookName": `"agent_end"`, "type": `"agent-turn-complete"`, "timestamp": `1795511400000`, "version": `1`,
	"prompt": `"Add a total"`, "submitted_prompt": `"Add a total"`, "initialPrompt": `"Add a total"`, "input-messages": `["Add a total"]`,
	"last_assistant_message": `"Done."`, "last-assistant-message": `"Done."`, "prompt_response": `"Done."`, "response": `"Done."`, "text": `"Done."`,
	"tool_name": `"Bash"`, "toolName": `"bash"`, "tool_input": `{"command":"ls","todos":[{"content":"a","status":"pending"}]}`, "toolArgs": `{"command":"ls"}`,
	"tool_use_id": `"t1"`, "toolUseId": `"t1"`, "tool_response": `{"agentId":"a1"}`, "tool_result": `{"result_type":"success"}`,
	"tool_call": `{"id":"t1","name":"execute_command","input":{"command":"ls"}}`, "command": `"ls"`, "files": `["a.go"]`, "messages": `[{"info":{"id":"m","role":"user"},"parts":[]}]`,
	"agent_id": `"a1"`, "agentId": `"a1"`, "parent_agent_id": `"a0"`, "parentAgentId": `"a0"`, "agent_type": `"general"`, "agentName": `"general"`,
	"turn_id": `"u1"`, "prompt_id": `"u1"`, "generation_id": `"u1"`, "model": `"big-1"`, "source": `"startup"`, "reason": `"other"`,
	"permission_mode": `"default"`, "stop_hook_active": `false`, "background_tasks": `[]`, "input_tokens": `5`, "output_tokens": `5`,
	"cache_read_tokens": `1`, "cache_write_tokens": `1`, "too_long": `5`, "partial": `true`, "agent_version": `"1"`, "cursor_version": `"3"`,
	"tool_id": `"t1"`, "task_id": `"a1"`, "task_type": `"general"`, "description": `"x"`, "agent": `"My Agent"`, "todos": `[{"content":"a"}]`, "isAsync": `true`,
}

// payloadWith returns a payload with one field replaced; "" replaces none.
func payloadWith(field, value string) []byte {
	var b strings.Builder
	b.WriteString(`{"x":0`)
	for _, name := range slices.Sorted(keys(fields)) {
		v := fields[name]
		if name == field {
			v = value
		}
		fmt.Fprintf(&b, ",%q:%s", name, v)
	}
	return []byte(b.String() + "}")
}

func keys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range m {
			if !yield(name) {
				return
			}
		}
	}
}

// TestBadPayloads gives every verb of every adapter payloads that are torn, empty, of the wrong types or with bytes
// that are no text: one clear error or an event in which nothing is unsafe.
func TestBadPayloads(t *testing.T) {
	t.Parallel()
	for _, ag := range agents.All() {
		t.Run(string(ag.Name()), func(t *testing.T) {
			t.Parallel()
			for _, verb := range ag.Verbs() {
				whole := payloadWith("", "")
				decode(t, ag, verb, whole)
				for _, bad := range []string{"", " \n", "\x00", "\xff\xfe", "null", "7", `"x"`, "[]", "[{}]", "{", "{\"session_id\":\"s1\"", strings.Repeat("[", 100_000)} {
					if ev, err := decode(t, ag, verb, []byte(bad)); err == nil && ev.Type != "" {
						t.Errorf("%s: %.20q is the event %+v", verb, bad, ev)
					}
				}
				for at := 1; at < len(whole); at += 37 {
					if ev, err := decode(t, ag, verb, whole[:at]); err == nil && ev.Type != "" {
						t.Errorf("%s: the first %d bytes are the event %+v", verb, at, ev)
					}
				}
				badFields(t, ag, verb)
			}
		})
	}
}

// badField is a payload in which one field has a wrong value.
type badField struct {
	field, value string
	payload      []byte
}

// badPayloads has each field in values of all types.
var badPayloads = sync.OnceValue(func() (list []badField) {
	for field := range fields {
		for _, value := range []string{"null", "true", "7", "-1e999", `""`, "[]", "{}", "[[{}]]", `{"a":[1]}`, `"../../up"`, `"\u0000"`, `"a\u0000b"`, "\"\xff\xfe\"", `"\ud800"`, `"` + strings.Repeat("x", 5_000) + `"`} {
			list = append(list, badField{field, value, payloadWith(field, value)})
		}
	}
	return list
})

// badFields decodes payloads with one wrong field each. Only the session's name may then be missing.
func badFields(t *testing.T, ag agent.Agent, verb string) {
	t.Helper()
	for _, bad := range badPayloads() {
		_, err := decode(t, ag, verb, bad.payload)
		names := strings.HasSuffix(bad.field, "_id") || strings.HasSuffix(bad.field, "Id") || bad.field == "thread-id" || bad.field == "sessionContext"
		if err != nil && !names {
			t.Errorf("%s: %s of %.20s is an error: %v", verb, bad.field, bad.value, err)
		}
	}
	if ev, err := decode(t, ag, verb, bytes.ReplaceAll(payloadWith("", ""), []byte("/w"), []byte("/w\x00"))); err == nil && ev.Type != "" {
		t.Errorf("%s: a byte zero in a text is no error", verb)
	}
}

// decode checks what holds for every answer.
func decode(t *testing.T, ag agent.Agent, verb string, data []byte) (agent.Event, error) {
	t.Helper()
	ev, err := ag.Decode(verb, data, agenttest.HookTime)
	if err != nil {
		if msg := err.Error(); len(msg) > 400 || strings.ContainsAny(msg, "\n\x00") || !utf8.ValidString(msg) {
			t.Errorf("%s: an error that is not one short line: %.500q", verb, msg)
		}
		return ev, err
	}
	if ev.Type == "" {
		return ev, nil
	}
	if ev.SessionID.IsZero() || ev.AgentType == "" || ev.Agent != ag.Name() {
		t.Errorf("%s: incomplete: %+v", verb, ev)
	}
	if !utf8.ValidString(ev.Prompt) || !utf8.ValidString(ev.Answer) {
		t.Errorf("%s: a prompt %.50q or an answer %.50q that is no text", verb, ev.Prompt, ev.Answer)
	}
	for _, path := range []string{ev.Dir, ev.TranscriptPath} {
		if path != "" && !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
			t.Errorf("%s: path %q", verb, path)
		}
	}
	for _, name := range append([]string{ev.AgentID}, ev.BackgroundTasks...) {
		if name != "" && !jsontext.IsSafeName(name) {
			t.Errorf("%s: the name %q", verb, name)
		}
	}
	if len(ev.ToolInput) > 0 && !json.Valid(ev.ToolInput) {
		t.Errorf("%s: tool input %.50q", verb, ev.ToolInput)
	}
	for _, warning := range ev.Warnings {
		if len(warning) > 200 || strings.ContainsAny(warning, "\n\x00") {
			t.Errorf("%s: a warning that is not one short line: %.300q", verb, warning)
		}
	}
	return ev, nil
}

// TestLongPayload decodes payloads of 3 MB (in `make full`, 10 MB). Memory grows with the payload, and does not multiply.
func TestLongPayload(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 3 MB or more for every verb")
	}
	long := `"` + strings.Repeat("0123456789abcde\\n", testrepo.Amount(3, 10)<<20/17) + `"`
	for _, ag := range agents.All() {
		for _, field := range []string{"prompt", "unknown"} {
			data := payloadWith(field, long)
			if field == "unknown" {
				data = append([]byte(`{"unknown":`+long+`,`), payloadWith("", "")[1:]...)
			}
			for _, verb := range ag.Verbs()[:min(3, len(ag.Verbs()))] {
				before := allocated()
				decode(t, ag, verb, data)
				if used := allocated() - before; used > 20*uint64(len(data)) {
					t.Errorf("%s %s, a long %s: %d MB", ag.Name(), verb, field, used>>20)
				}
			}
		}
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
