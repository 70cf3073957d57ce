package review

import (
	"testing"

	"entire/agent"
	"entire/agent/conversation"
)

func TestIntentIsAPromptWithWorkInTheCommit(t *testing.T) {
	t.Parallel()
	var passages []conversation.Passage
	say := func(p conversation.Passage) {
		p.Item = len(passages)
		passages = append(passages, p)
	}
	ask := func(text string) { say(conversation.Passage{Kind: conversation.PromptPassage, Text: text}) }
	write := func(id, path string) {
		say(conversation.Passage{Kind: conversation.CallPassage, Call: agent.ToolUse{ID: id, Name: "Write"}, Edits: []agent.Edit{{Path: "/repo/" + path, Texts: []string{"x\n"}}}})
	}
	ask("What is this?")  // 0
	ask("Write one")      // 1
	write("t1", "one.go") // 2
	ask("Thanks")         // 3
	ask("Write two")      // 4
	write("t2", "two.go") // 5
	say(conversation.Passage{Kind: conversation.CallPassage, Call: agent.ToolUse{ID: "t3", Name: "Task"}})
	say(conversation.Passage{Kind: conversation.ResultPassage, CallID: "t3", AgentIDs: []string{"a1"}})
	ask("Did you push?") // 8
	sub := []conversation.Passage{{Kind: conversation.CallPassage, Chain: "a1", Call: agent.ToolUse{ID: "s1", Name: "Write"}}}
	for name, row := range map[string]struct {
		part Part
		want string
	}{
		"the recorded call":               {Part{Calls: []string{"t1"}}, "Write one"},
		"the first of several":            {Part{Calls: []string{"t2", "t1"}}, "Write one"},
		"a subagent's":                    {Part{Calls: []string{"s1"}, Start: 8}, "Write two"},
		"one that is not there":           {Part{Calls: []string{"t9"}, Files: []string{"two.go"}}, "Write two"},
		"a file":                          {Part{Files: []string{"two.go"}}, "Write two"},
		"a file of before the part":       {Part{Files: []string{"one.go"}, Start: 3}, "Write two"},
		"in the midst of a turn":          {Part{Files: []string{"two.go"}, Start: 5}, "Write two"},
		"any call":                        {Part{Files: []string{"shell.txt"}}, "Write one"},
		"no call":                         {Part{Start: 8}, "Did you push?"},
		"nothing at all since":            {Part{Start: 9}, "Did you push?"},
		"talk before the work, no record": {Part{Start: 3, Files: []string{"other"}}, "Write two"},
	} {
		if got := row.part.Intent(passages, sub); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
	if got := (Part{Start: 1}).Intent(nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
