package conversation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/conversation"
)

// shown is passages in a notation for tests: a letter each.
func shownPassages(list []conversation.Passage) string {
	var out []string
	for _, p := range list {
		s := fmt.Sprintf("%d:%s", p.Item, []string{"P", "T", "S", "C", "R", "W"}[p.Kind])
		if p.Chain != "" {
			s += "@" + p.Chain
		}
		switch p.Kind {
		case conversation.CallPassage:
			s += " " + p.Call.Name + "=" + p.Call.ID
		case conversation.ResultPassage:
			s += " " + p.CallID
			if p.Failed {
				s += "!"
			}
			s += strings.Join(p.AgentIDs, ",")
		case conversation.WroteFile:
			s += " " + strings.Join(p.Files, ",")
		default:
			s += " " + p.Text
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

func TestPassages(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "agents", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, tc := range []struct {
		name       string
		kind       agent.AgentType
		transcript string
		want       string
	}{
		{"claude", agent.AgentTypeClaudeCode, `{"type":"user","message":{"content":"Do it"}}
{"type":"user","isMeta":true,"message":{"content":"a note of the program"}}
{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"I do."},{"type":"tool_use","id":"t1","name":"Write","input":{}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"no","is_error":true}]}}
not JSON
{"type":"assistant","message":{"content":"as a string"}}`,
			"0:P Do it\n2:T Hm.\n2:S I do.\n2:C Write=t1\n3:R t1!\n5:S as a string"},
		{"claude's subagents", agent.AgentTypeClaudeCode, `{"type":"user","isSidechain":true,"agentId":"abc","message":{"content":"Your task"}}
{"type":"assistant","isSidechain":true,"agentId":"abc","message":{"content":[{"type":"tool_use","id":"t2","name":"Edit","input":{}}]}}
{"type":"user","toolUseResult":{"agentId":"abc"},"message":{"content":[{"type":"tool_result","tool_use_id":"task","content":"done"}]}}`,
			"0:P@abc Your task\n1:C@abc Edit=t2\n2:R taskabc"},
		{"generic", "My Agent", read("generic/transcript.jsonl"),
			"0:P Add a total to the cart\n1:C edit=\n1:W cart.go,cart_test.go\n2:C shell=\n3:S The cart has a total now."},
		{"nothing", agent.AgentTypeClaudeCode, "", ""},
	} {
		if got := shownPassages(conversation.Passages(tc.kind, []byte(tc.transcript))); got != tc.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tc.name, got, tc.want)
		}
	}
	for _, name := range []string{"gemini/session-old.json", "gemini/session-new.jsonl"} {
		got := shownPassages(conversation.Passages(agent.AgentTypeGemini, []byte(read(name))))
		for _, want := range []string{"0:P Add a total\n", ":C replace=replace-1\n", ":R replace-1\n"} {
			if !strings.Contains(got+"\n", want) {
				t.Errorf("%s: no %q in\n%s", name, want, got)
			}
		}
	}
	if got := shownPassages(conversation.Passages("", []byte(read("gemini/session-old.json")))); !strings.Contains(got, "1:T Sums\n…\n1:C read_file=read_file-1") {
		t.Errorf("thoughts of a document that nobody says is Gemini's:\n%s", got)
	}
}

func TestWrittenByAgreesWithWritesIn(t *testing.T) {
	t.Parallel()
	for _, block := range []string{
		`{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/r/a","content":"one\ntwo\n"}}`,
		`{"type":"tool_use","id":"t3","name":"MultiEdit","input":{"file_path":"a","edits":[{"old_string":"x","new_string":"y"}]}}`,
		`{"type":"tool_use","id":"t4","name":"apply_patch","input":{"input":"*** Update File: a\n@@\n-old\n+new\n"}}`,
		`{"type":"tool_use","id":"t5","name":"Bash","input":{"command":"rm a"}}`,
	} {
		line := []byte(`{"type":"assistant","message":{"content":[` + block + `]}}`)
		want := conversation.ReadLine(agent.AgentTypeClaudeCode, line).Writes()
		var got []conversation.Written
		for _, p := range conversation.Passages(agent.AgentTypeClaudeCode, line) {
			for _, w := range p.Written() {
				w.Model = p.Model
				got = append(got, w)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", block, got, want)
		}
	}
}

func FuzzPassages(f *testing.F) {
	f.Add([]byte(`{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"Hm."},{"type":"tool_use","id":"t","name":"Edit","input":{"file_path":"a","new_string":"y"}}]}}`))
	f.Add([]byte(`{"messages":[{"id":"m","type":"gemini","thoughts":[{"subject":"s"}],"toolCalls":[{"name":"replace","args":{}}]}]}`))
	f.Add([]byte(`{"role":"tool","name":"edit","command":"x","files":["a"]}`))
	f.Fuzz(func(t *testing.T, transcript []byte) {
		for _, kind := range []agent.AgentType{agent.AgentTypeClaudeCode, agent.AgentTypeGemini, agent.AgentTypeUnknown} {
			item := 0
			for _, p := range conversation.Passages(kind, transcript) {
				if p.Item < item {
					t.Fatalf("item %d after %d", p.Item, item)
				}
				item = p.Item
				if p.Kind == conversation.PromptPassage && strings.TrimSpace(p.Text) == "" || p.Kind == conversation.CallPassage && len(p.Call.Input) > 0 && p.Written() != nil && p.Call.ID == "" {
					t.Fatalf("%+v", p)
				}
			}
		}
	})
}
