package conversation_test

import (
	"testing"

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
