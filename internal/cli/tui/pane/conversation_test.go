package pane

import (
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
)

// TestRewindsAreOneLine folds rewinds with nothing between them, and keeps a line for each message to begin at.
func TestRewindsAreOneLine(t *testing.T) {
	t.Parallel()
	var conversation facts.Conversation
	say := func(m agent.Message) {
		conversation.Total++
		conversation.Entries = append(conversation.Entries, facts.Entry{SaidEntry: sessionlib.SaidEntry{Message: m}, Number: conversation.Total})
	}
	back := agent.Message{Role: agent.RoleSystem, Rewind: &agent.Rewind{To: "u1"}}
	say(agent.Message{Role: agent.RoleUser, Content: "first"})
	for range 3 {
		say(back)
	}
	say(agent.Message{Role: agent.RoleUser, Content: "second"})
	say(back)
	doc, starts := ConversationText(Screen{Theme: paint.New(paint.Look{}), W: 60, H: 40, Zone: time.UTC}, conversation, 0)
	var text strings.Builder
	for _, l := range doc.View(0, doc.Len()) {
		for _, span := range l {
			text.WriteString(span.Text)
		}
		text.WriteString("\n")
	}
	if got := text.String(); strings.Count(got, "3 rewinds took messages back") != 1 || strings.Count(got, "a rewind took messages back") != 1 {
		t.Errorf("rewinds are not folded:\n%s", got)
	}
	if len(starts) != len(conversation.Entries) {
		t.Errorf("%d messages begin at %v", len(conversation.Entries), starts)
	}
}
