package review

import (
	"maps"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/conversation"
)

// The talk of the tests: two turns, the second of which has a subagent.
const talk = `{"type":"user","message":{"content":"first"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"I read."},{"type":"tool_use","id":"r1","name":"Read","input":{"file_path":"/r/a.go"}}]}}
{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"Now write."},{"type":"tool_use","id":"w1","name":"Write","input":{"file_path":"/r/a.go","content":"func one() {\n}\n"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"w1","content":"ok"}]}}
{"type":"assistant","message":{"content":[{"type":"text","text":"Written."}]}}
{"type":"user","message":{"content":"second"}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"e1","name":"Edit","input":{"file_path":"a.go","old_string":"func one() {","new_string":"func uno() {"}},{"type":"tool_use","id":"e2","name":"Edit","input":{"file_path":"/r/b.go","old_string":"x","new_string":"func never() {"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"e2","content":"not found","is_error":true}]}}
{"type":"user","toolUseResult":{"agentId":"sub"},"message":{"content":[{"type":"tool_result","tool_use_id":"task","content":"done"}]}}
{"type":"user","message":{"content":"third"}}`

const subTalk = `{"type":"user","isSidechain":true,"agentId":"sub","message":{"content":"the task"}}
{"type":"assistant","isSidechain":true,"agentId":"sub","message":{"content":[{"type":"text","text":"Subagents talk too."},{"type":"tool_use","id":"s1","name":"Write","input":{"file_path":"/r/c.go","content":"package c // of a subagent\n"}}]}}`

func TestFind(t *testing.T) {
	t.Parallel()
	passages := conversation.Passages(agent.AgentTypeClaudeCode, []byte(talk))
	sub := conversation.Passages(agent.AgentTypeClaudeCode, []byte(subTalk))
	for _, tc := range []struct {
		name                 string
		ask                  Query
		how                  PromptEvidence
		prompt, call, before string
		prompts              string
	}{
		{"the call is known", Query{ToolUseID: "w1", Paths: []string{"a.go"}, Line: "}"}, ByCall, "first", "w1", "Now write.", ""},
		{"the call stands before its turn's prompt", Query{ToolUseID: "w1", Prompt: agent.PromptKey("second")}, ByCall, "second", "w1", "Now write.", ""},
		{"another prompt was typed in the turn", Query{ToolUseID: "e1", Prompt: agent.PromptKey("first")}, ByCall, "second", "e1", "", ""},
		{"by its words", Query{Paths: []string{"a.go"}, Line: "\tfunc uno() {"}, ByContent, "second", "e1", "", ""},
		{"a word that only one call wrote", Query{Paths: []string{"a.go"}, Line: "}"}, ByContent, "first", "w1", "Now write.", ""},
		{"of another file", Query{Paths: []string{"x/a.go"}, Line: "func uno() {"}, ByNothing, "", "", "", "first|second|third"},
		{"from before the checkpoint's part", Query{Paths: []string{"a.go"}, Line: "func one() {", Start: 5}, ByContent, "first", "w1", "Now write.", ""},
		{"a call that failed", Query{Paths: []string{"b.go"}, Line: "func never() {"}, ByFile, "second", "", "", ""},
		{"by the only prompt that named the file", Query{Paths: []string{"a.go"}, Line: "by a command", Start: 5}, ByFile, "second", "", "", ""},
		{"by the only prompt", Query{Paths: []string{"d.go"}, Line: "by a command", Start: 9}, ByScope, "third", "", "", ""},
		{"by its turn's prompt, though an earlier turn edited the file", Query{Paths: []string{"a.go"}, Line: "by a command", Prompt: agent.PromptKey(" third\n")}, ByTurn, "third", "", "", ""},
		{"by a call in its turn", Query{Paths: []string{"a.go"}, Line: "func uno() {", Prompt: agent.PromptKey("second")}, ByContent, "second", "e1", "", ""},
		{"a call of another turn wrote the same", Query{Paths: []string{"a.go"}, Line: "func one() {", Prompt: agent.PromptKey("third")}, ByTurn, "third", "", "", ""},
		{"a subagent's words in its turn", Query{Paths: []string{"c.go"}, Line: "package c // of a subagent", Prompt: agent.PromptKey("second")}, ByContent, "second", "s1", "Subagents talk too.", ""},
		{"a prompt that the transcript has not", Query{Paths: []string{"d.go"}, Line: "by a command", Start: 9, Prompt: agent.PromptKey("gone")}, ByNothing, "", "", "", ""},
		{"a subagent's call", Query{ToolUseID: "s1", Paths: []string{"c.go"}, Line: "x"}, ByCall, "second", "s1", "Subagents talk too.", ""},
		{"a subagent's words", Query{Paths: []string{"c.go"}, Line: "package c // of a subagent"}, ByContent, "second", "s1", "Subagents talk too.", ""},
		{"a call that is not there", Query{ToolUseID: "gone", Paths: []string{"d.go"}, Line: "x"}, ByNothing, "", "", "", "first|second|third"},
	} {
		s := Find(tc.ask, passages, sub)
		call := ""
		if s.Call != nil {
			call = s.Call.Call.ID
		}
		var before []string
		for _, p := range s.Before {
			before = append(before, p.Text)
		}
		if s.Evidence != tc.how || s.Prompt != tc.prompt || call != tc.call || strings.Join(before, "|") != tc.before || strings.Join(s.Prompts, "|") != tc.prompts {
			t.Errorf("%s: %s, prompt %q, call %q, before %q, prompts %q", tc.name, s.Evidence, s.Prompt, call, before, s.Prompts)
		}
	}
	s := Find(Query{ToolUseID: "w1"}, passages)
	if s.Result == nil || s.Result.Text != "ok" || len(s.After) != 1 || s.After[0].Text != "Written." {
		t.Errorf("after: %+v, %+v", s.Result, s.After)
	}
	if s := Find(Query{ToolUseID: "s1"}, passages, sub); s.Task != "the task" {
		t.Errorf("task %q", s.Task)
	}
	if s := Find(Query{Line: "x"}, nil); s.Evidence != ByNothing || s.Prompts != nil {
		t.Errorf("of no talk: %+v", s)
	}
}

func TestCallDiff(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, input, want string }{
		{"Edit", `{"file_path":"a","old_string":"one\ntwo\nthree","new_string":"one\n2\nthree\nfour"}`, " one\n-two\n+2\n three\n+four\n"},
		{"Edit", `{"file_path":"a","old_string":"gone","new_string":""}`, "-gone\n"},
		{"Write", `{"file_path":"a","content":"x\ny\n"}`, "+x\n+y\n"},
		{"MultiEdit", `{"file_path":"a","edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":"d"}]}`, "-a\n+b\n@\n-c\n+d\n"},
		{"apply_patch", `{"input":"*** Update File: a\n@@\n keep\n-old\n+new\n"}`, "@*** Update File: a\n@@@\n keep\n-old\n+new\n"},
		{"replace", `{"file_path":"a","old_string":"a","new_string":"b"}`, "-a\n+b\n"},
		{"NotebookEdit", `{"notebook_path":"a.ipynb","new_source":"x = 1"}`, "+x = 1\n"},
		{"edit", `{"path":"a","edits":[{"oldText":"a","newText":"b"},{"oldText":"c","newText":""}]}`, "-a\n+b\n@\n-c\n"}, // pi's
		{"Bash", `{"command":"rm a"}`, ""},
	} {
		kind, line := agent.AgentTypeClaudeCode, `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"`+tc.name+`","input":`+tc.input+`}]}}`
		if tc.name == "replace" {
			kind, line = agent.AgentTypeGemini, `{"id":"m","type":"gemini","toolCalls":[{"id":"t","name":"replace","args":`+tc.input+`}]}`
		}
		if tc.name == "edit" {
			kind, line = agent.AgentTypePi, `{"type":"message","id":"m","message":{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"edit","arguments":`+tc.input+`}]}}`
		}
		if got := DiffText(CallDiff(conversation.Passages(kind, []byte(line))[0])); got != tc.want {
			t.Errorf("%s %s: got\n%s", tc.name, tc.input, got)
		}
	}
	kept, above, below := DiffAround(diffTexts("", "1\n2\n3\n4\n5\n6\n"), " 4", 1)
	if got := DiffText(kept); got != "+3\n+4\n+5\n" || above != 2 || below != 1 {
		t.Errorf("around: %q, %d above, %d below", got, above, below)
	}
}

func TestPromptsOfCalls(t *testing.T) {
	t.Parallel()
	got := PromptsOfCalls(conversation.Passages(agent.AgentTypeClaudeCode, []byte(talk)), conversation.Passages(agent.AgentTypeClaudeCode, []byte(subTalk)))
	want := map[string]string{"r1": "first", "w1": "first", "e1": "second", "e2": "second", "s1": "second"}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
