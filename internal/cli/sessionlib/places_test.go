package sessionlib

import (
	"fmt"
	"strings"
	"testing"

	"entire/agent"
	"entire/internal/cli/clitest"
	"entire/session"
)

func TestPlacesReadAPartOfALog(t *testing.T) {
	t.Parallel()
	store := session.OpenStore(t.TempDir())
	defer store.Close()
	const id = "5e55104f-0000-4000-8000-0000000000aa"
	if err := store.Create(session.SessionMetadata{ID: id, AgentType: agent.AgentTypeClaudeCode, CreatedAt: clitest.Noon}); err != nil {
		t.Fatal(err)
	}
	said := 0
	say := func(n int) {
		t.Helper()
		for range n {
			said++
			if err := store.AppendMessage(id, session.Message{UUID: fmt.Sprint("u", said), Role: agent.RoleUser, Content: fmt.Sprint("text ", said), Timestamp: clitest.Noon}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var p Places
	follow := func() (numbers []int) {
		t.Helper()
		if err := p.Follow(t.Context(), store, id, func(l NumberedLine) { numbers = append(numbers, l.Number) }); err != nil {
			t.Fatal(err)
		}
		return numbers
	}
	say(100)
	if got := follow(); len(got) != 100 || got[99] != 100 {
		t.Fatalf("the first 100 lines are %v", got)
	}
	before := p
	say(100)
	if got := follow(); len(got) != 100 || got[0] != 101 || p.Total != 200 || before.Total != 100 {
		t.Fatalf("the lines that came later are %v; %d in all, and %d before", got, p.Total, before.Total)
	}
	for _, from := range []int{1, 64, 65, 66, 128, 129, 200} {
		at := from
		for line, err := range p.From(t.Context(), store, id, from) {
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf(`"text %d"`, at); line.Number != at || !strings.Contains(string(line.Data), want) {
				t.Fatalf("from %d, message %d is number %d: %s", from, at, line.Number, line.Data)
			}
			at++
		}
		if at != 201 {
			t.Errorf("from %d, the messages end before %d", from, at)
		}
	}
	for range p.From(t.Context(), store, id, 201) {
		t.Error("there is a message behind the last one")
	}
	if stale, err := p.Stale(t.Context(), store, id); stale || err != nil {
		t.Errorf("a log that has grown is another one: %v, %v", stale, err)
	}
}
