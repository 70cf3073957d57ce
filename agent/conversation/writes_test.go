package conversation_test

import (
	"reflect"
	"testing"

	"entire/agent"
	"entire/agent/conversation"
)

func TestWritesIn(t *testing.T) {
	t.Parallel()
	claude := func(block string) string {
		return `{"type":"assistant","uuid":"u","message":{"role":"assistant","id":"m","model":"some-model","content":[` + block + `]}}`
	}
	for _, tc := range []struct {
		name, line string
		kind       agent.AgentType
		want       []conversation.Written
	}{
		{"write", claude(`{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/r/a","content":"one\ntwo\n"}}`), agent.AgentTypeClaudeCode,
			[]conversation.Written{{ToolUseID: "t1", Path: "/r/a", Texts: []string{"one\ntwo\n"}, Replaced: nil, Model: "some-model"}}},
		{"edit", claude(`{"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"/r/a","old_string":"x","new_string":"y"}}`), agent.AgentTypeClaudeCode,
			[]conversation.Written{{ToolUseID: "t2", Path: "/r/a", Texts: []string{"y"}, Replaced: []string{"x"}, Model: "some-model"}}},
		{"several edits", claude(`{"type":"tool_use","id":"t3","name":"MultiEdit","input":{"file_path":"a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"z","new_string":""},{"new_string":"w"}]}}`), agent.AgentTypeClaudeCode,
			[]conversation.Written{{ToolUseID: "t3", Path: "a", Texts: []string{"y", "w"}, Replaced: []string{"x", "z"}, Model: "some-model"}}},
		{"a patch", claude(`{"type":"tool_use","id":"t4","name":"apply_patch","input":{"input":"*** Begin Patch\n*** Update File: a\n@@\n keep\n-old\n+new\n*** Add File: b\n+one\n+two\n*** End Patch\n"}}`), agent.AgentTypeUnknown,
			[]conversation.Written{{ToolUseID: "t4", Path: "a", Texts: []string{"new\n"}, Replaced: []string{"old\n"}, Model: "some-model"}, {ToolUseID: "t4", Path: "b", Texts: []string{"one\ntwo\n"}, Replaced: nil, Model: "some-model"}}},
		{"an edit that only removes", claude(`{"type":"tool_use","id":"t6","name":"Edit","input":{"file_path":"a","old_string":"x\ny\n","new_string":""}}`), agent.AgentTypeClaudeCode,
			[]conversation.Written{{ToolUseID: "t6", Path: "a", Texts: nil, Replaced: []string{"x\ny\n"}, Model: "some-model"}}},
		{"a patch that only removes", claude(`{"type":"tool_use","id":"t7","name":"apply_patch","input":{"input":"*** Begin Patch\n*** Update File: a\n@@\n keep\n-old\n*** End Patch\n"}}`), agent.AgentTypeUnknown,
			[]conversation.Written{{ToolUseID: "t7", Path: "a", Texts: nil, Replaced: []string{"old\n"}, Model: "some-model"}}},
		{"an empty file", claude(`{"type":"tool_use","id":"t9","name":"Write","input":{"file_path":"a","content":""}}`), agent.AgentTypeClaudeCode,
			[]conversation.Written{{ToolUseID: "t9", Path: "a", Texts: []string{""}, Replaced: nil, Model: "some-model"}}},
		{"a notebook's cell", claude(`{"type":"tool_use","id":"t10","name":"NotebookEdit","input":{"notebook_path":"/r/n.ipynb","new_source":"a < 1"}}`), agent.AgentTypeClaudeCode,
			[]conversation.Written{{ToolUseID: "t10", Path: "/r/n.ipynb", Texts: []string{"\"a < 1\",\n\"a < 1\"\n\"a < 1\",\n\"a < 1\"\n\"source\": \"a < 1\",\n\"source\": \"a < 1\"\n\"source\": \"a < 1\\n\",\n\"source\": \"a < 1\\n\"\n"}, Replaced: nil, Model: "some-model"}}},
		{"an edit of which nothing is told", claude(`{"type":"tool_use","id":"t8","name":"Edit","input":{"file_path":"a"}}`), agent.AgentTypeClaudeCode, nil},
		{"a shell command", claude(`{"type":"tool_use","id":"t5","name":"Bash","input":{"command":"rm a"}}`), agent.AgentTypeClaudeCode, nil},
		{"a result that quotes one", `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"\"tool_use\""}]}}`, agent.AgentTypeClaudeCode, nil},
		{"gemini", `{"type":"gemini","model":"gemini-x","toolCalls":[{"id":"g1","name":"write_file","status":"success","args":{"file_path":"a","content":"x\n"}},{"id":"g2","name":"write_file","status":"error","args":{"file_path":"a","content":"y"}}]}`, agent.AgentTypeGemini,
			[]conversation.Written{{ToolUseID: "g1", Path: "a", Texts: []string{"x\n"}, Replaced: nil, Model: "gemini-x"}}},
		{"not JSON", `"tool_use" {`, agent.AgentTypeClaudeCode, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := conversation.ReadLine(tc.kind, []byte(tc.line)).Writes(); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestWritesInDocument(t *testing.T) {
	t.Parallel()
	doc := []byte(`{"messages":[{"id":"1","type":"user","content":"x"},
{"id":"2","type":"gemini","toolCalls":[{"id":"g1","name":"write_file","status":"success","args":{"file_path":"a","content":"x\n"}}]},
{"id":"3","type":"gemini","model":"gemini-y","toolCalls":[{"id":"g2","name":"replace","status":"success","args":{"file_path":"a","old_string":"x","new_string":"y"}},{"id":"g3","name":"replace","status":"error","args":{"file_path":"a","new_string":"z"}}]}]}`)
	for from, want := range map[int][]conversation.Written{
		-1: {{ToolUseID: "g1", Path: "a", Texts: []string{"x\n"}, Replaced: nil, Model: ""}, {ToolUseID: "g2", Path: "a", Texts: []string{"y"}, Replaced: []string{"x"}, Model: "gemini-y"}},
		2:  {{ToolUseID: "g2", Path: "a", Texts: []string{"y"}, Replaced: []string{"x"}, Model: "gemini-y"}},
		3:  nil,
	} {
		if got, _ := conversation.WritesInDocument(doc, from); !reflect.DeepEqual(got, want) {
			t.Errorf("from %d: %+v, want %+v", from, got, want)
		}
	}
	if got, _ := conversation.WritesInDocument([]byte("not one"), 0); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
}

func FuzzWritesIn(f *testing.F) {
	f.Add([]byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Edit","input":{"file_path":"a","new_string":"y"}}]}}`))
	f.Add([]byte(`{"toolCalls":[{"id":"g","name":"replace","args":{"file_path":"a","new_string":"y"}}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, kind := range []agent.AgentType{agent.AgentTypeClaudeCode, agent.AgentTypeGemini} {
			for _, w := range conversation.ReadLine(kind, line).Writes() {
				if w.ToolUseID == "" || w.Path == "" || len(w.Texts)+len(w.Replaced) == 0 {
					t.Fatalf("%+v", w)
				}
			}
		}
	})
}
