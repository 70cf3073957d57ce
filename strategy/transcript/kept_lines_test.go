package transcript_test

import (
	"os"
	"strings"
	"testing"

	"entire/agent"
	"entire/agent/opencode"
	"entire/strategy/internal/enginetest"
)

// TestPartialConversationKeepsTheOlder: an agent that compacted its conversation tells the newest messages
// only, and what was kept of the older ones stays, in its order.
func TestPartialConversationKeepsTheOlder(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	line := func(name, text string) string {
		return `{"session":"s1","info":{"id":"` + name + `","role":"user"},"parts":[{"type":"text","text":"` + text + `"}]}` + "\n"
	}
	tell := func(kind agent.EventType, partial bool, lines ...string) {
		w.Event(kind, "s1", func(ev *agent.Event) {
			ev.Agent, ev.AgentType, ev.TranscriptPath = opencode.AgentNameOpenCode, opencode.AgentTypeOpenCode, ""
			ev.Lines, ev.Partial = []byte(strings.Join(lines, "")), partial
		})
	}
	kept := func() string {
		text, err := os.ReadFile(w.State("s1").TranscriptPath)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	tell(agent.TurnStart, false)
	tell(agent.TurnEnd, false, line("m1", "one"), line("m2", "two"))
	tell(agent.Said, true, line("m2", "two, longer"), line("m3", "three"))
	tell(agent.TurnEnd, true, line("m3", "three"), line("m4", "four"))
	if got, want := kept(), line("m1", "one")+line("m2", "two, longer")+line("m3", "three")+line("m4", "four"); got != want {
		t.Errorf("kept\n%swant\n%s", got, want)
	}
	tell(agent.TurnEnd, false, line("m1", "one"), line("m4", "four"))
	if got, want := kept(), line("m1", "one")+line("m4", "four"); got != want {
		t.Errorf("a whole conversation left\n%swant\n%s", got, want)
	}
}
