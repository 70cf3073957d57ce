package generic_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/generic"
)

// TestRecordLines writes records as lines and reads them back: every part, and what a conversation
// makes of them.
func TestRecordLines(t *testing.T) {
	t.Parallel()
	records := []agent.Record{
		{Role: agent.RoleUser, ID: "u1", NoParent: true, Time: "2026-11-24T10:00:00Z", Parts: []agent.Part{{Text: "Add a greeting"}}},
		{Role: agent.RoleAssistant, ID: "a1", Model: "m-1", Answer: "r1", Usage: &agent.TokenUsage{InputTokens: 7, OutputTokens: 3, APICallCount: 1},
			Parts: []agent.Part{{Kind: agent.ThoughtPart, Text: "hm"}, {Text: "I write it."},
				{Kind: agent.CallPart, Call: agent.Call{ToolUse: agent.ToolUse{ID: "c1", Name: "write", Input: json.RawMessage(`{"path":"greet.go"}`)},
					Edits: []agent.Edit{{Path: "greet.go", Texts: []string{"package greet\n"}}}}},
				{Kind: agent.CallPart, Call: agent.Call{ToolUse: agent.ToolUse{ID: "c2", Name: "shell"}, Command: "make > out.txt", Background: true}}}},
		{Role: agent.RoleTool, ID: "t1", Parts: []agent.Part{{Kind: agent.ResultPart, CallID: "c1", Tool: "write", Text: "ok"}, {Kind: agent.ResultPart, CallID: "c2", Failed: true}}},
		{Role: agent.RoleSystem, ID: "s1", Parts: []agent.Part{{Kind: agent.FilesPart, Files: []string{"more.txt"}}}},
	}
	var text []byte
	for _, want := range records {
		line, err := generic.Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := generic.Adapter{}.Records(line[:len(line)-1])
		if !ok || len(got) != 1 || !reflect.DeepEqual(got[0], want) {
			t.Errorf("%s\ngot  %+v, %v\nwant %+v", line, got, ok, want)
		}
		text = append(text, line...)
	}
	c := conversation.Read("Some Agent", text)
	if !reflect.DeepEqual(c.Prompts, []string{"Add a greeting"}) || c.Model != "m-1" || c.LastAssistant != "I write it." || c.Malformed != 0 || len(c.OpenCalls) != 0 ||
		!reflect.DeepEqual(c.EditsSince(conversation.Mark{}), []string{"greet.go", "more.txt"}) || c.Usage() != (agent.TokenUsage{InputTokens: 7, OutputTokens: 3, APICallCount: 1}) || c.LastShellStart == 0 {
		t.Errorf("%+v", c)
	}
	if m := conversation.Normalize("Some Agent", text); len(m) != 4 || m[1].Model != "m-1" || len(m[1].ToolCalls) != 2 || m[2].ToolName != "write" || !m[3].IsError {
		t.Errorf("%+v", m)
	}
}

// TestOtherLines reads the older lines of this program's own, those in the form of Claude Code, and
// damaged ones.
func TestOtherLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"role":"user","text":"x"}`: "user x", `{"role":"user","text":"x","parts":[1]}`: "user x",
		`{"type":"user","message":{"content":"x"}}`: "user x", `{"parts":"x"}`: "", `{"parts":[1]}`: "", `{"role":5,"parts":[]}`: "",
		``: "unreadable", `{`: "unreadable", `{"parts":[`: "unreadable", `[]`: "unreadable", `{"role":"user","text":tru}`: "",
	} {
		got := ""
		records, ok := generic.Adapter{}.Records([]byte(line))
		if !ok {
			got = "unreadable"
		} else if len(records) > 0 {
			got = records[0].Role + " " + records[0].Parts[0].Text
		}
		if got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"role":"assistant","parts":[{"kind":"call","call":{"id":"c","name":"n","input":{},"edits":[{"path":"p"}]}}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		first, ok := generic.Adapter{}.Records(line)
		again, ok2 := generic.Adapter{}.Records(line)
		if ok != ok2 || !reflect.DeepEqual(first, again) {
			t.Fatal("not the same twice")
		}
		conversation.Normalize("Some Agent", line)
	})
}
