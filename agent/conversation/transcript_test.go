package conversation_test

import (
	"testing"

	"entire/agent"
	"entire/agent/conversation"
)

func TestFromLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"a\nb\nc\n", 0, "a\nb\nc\n"},
		{"a\nb\nc\n", 2, "c\n"},
		{"a\nb\nc", 2, "c"},
		{"a\nb\nc", 3, ""},      // nothing new, not everything
		{"a\nb\n", 9, "a\nb\n"}, // a start that cannot be right hides nothing
		{"", 1, ""},
	} {
		if got := string(conversation.FromLine([]byte(test.text), test.n)); got != test.want {
			t.Errorf("fromLine(%q, %d) = %q, want %q", test.text, test.n, got, test.want)
		}
	}
}

// TestUsageFrom: a transcript of messages that are written again has more lines than messages.
func TestUsageFrom(t *testing.T) {
	t.Parallel()
	lines := `{"sessionId":"s","projectHash":"h","startTime":"2026-11-28T02:39:20Z","kind":"main"}
{"id":"m1","type":"user","timestamp":"2026-11-28T02:39:21Z","content":[{"text":"Add"}]}
{"id":"m2","type":"gemini","timestamp":"2026-11-28T02:39:22Z","content":"","tokens":{"input":100,"output":10,"total":110}}
{"id":"m2","type":"gemini","timestamp":"2026-11-28T02:39:22Z","content":"Done.","tokens":{"input":100,"output":10,"total":110}}
{"$set":{"lastUpdated":"2026-11-28T02:39:23Z"}}
{"id":"m3","type":"user","timestamp":"2026-11-28T02:39:24Z","content":[{"text":"Go on"}]}
{"id":"m4","type":"gemini","timestamp":"2026-11-28T02:39:25Z","content":"Done.","tokens":{"input":7,"output":3,"total":10}}
`
	text := []byte(lines)
	passages := conversation.Passages(agent.AgentTypeGemini, text)
	start := -1
	for _, p := range passages {
		if p.Kind == conversation.PromptPassage {
			start = p.Item
		}
	}
	want := agent.TokenUsage{InputTokens: 7, OutputTokens: 3, APICallCount: 1}
	if got := conversation.UsageFrom(agent.AgentTypeGemini, text, start); got != want || start != 2 {
		t.Errorf("from item %d: %+v, want %+v", start, got, want)
	}
	if got := conversation.UsageFrom(agent.AgentTypeGemini, text, 0); got != conversation.Read(agent.AgentTypeGemini, text).Usage() {
		t.Errorf("from the beginning: %+v", got)
	}
}
