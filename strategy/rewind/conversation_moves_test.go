package rewind_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"entire/agent"
	"entire/session"
	"entire/strategy/internal/enginetest"
	"entire/strategy/sessionstate"
)

// follower is a session whose records follow each other, as Claude's do.
type follower struct {
	*enginetest.World
	sid, last string
	n         int
}

func (c *follower) write(f *os.File, texts ...string) {
	c.T.Helper()
	for _, text := range texts {
		c.n++
		uuid := fmt.Sprintf("r-%03d", c.n)
		kind := []string{"assistant", "user"}[c.n%2]
		_, err := fmt.Fprintf(f, `{"parentUuid":%q,"type":%q,"uuid":%q,"extra":[1.0],"message":{"role":%q,"content":%q}}`+"\n", c.last, kind, uuid, kind, text)
		if err != nil {
			c.T.Fatal(err)
		}
		c.last = uuid
	}
}

func (c *follower) append(texts ...string) {
	c.T.Helper()
	f, err := os.OpenFile(c.Transcript(c.sid), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		c.T.Fatal(err)
	}
	defer f.Close()
	c.write(f, texts...)
}

func (c *follower) turn(prompt string, do func()) {
	c.T.Helper()
	c.Event(agent.TurnStart, c.sid, func(ev *agent.Event) { ev.Prompt = prompt })
	c.append(prompt, "did "+prompt)
	do()
	c.Event(agent.TurnEnd, c.sid, nil)
}

func (c *follower) live() string {
	c.T.Helper()
	data, err := os.ReadFile(c.Transcript(c.sid))
	if err != nil {
		c.T.Fatal(err)
	}
	return string(data)
}

// TestAgentThatGoesOn: one that was running during a rewind goes on with what it has
// in memory, and one that was started again with what there is.
func TestAgentThatGoesOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ held, resumed bool }{
		"by name": {}, "with the file held open": {held: true}, "started again": {resumed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t)
			k := &follower{World: w, sid: "s1"}
			k.turn("first", func() { w.Write("a.txt", "1\n") })
			one, atOne := k.live(), k.last
			k.turn("second", func() { w.Write("a.txt", "2\n") })
			two := k.live()
			held, err := os.OpenFile(w.Transcript("s1"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer held.Close()
			w.Event(agent.TurnStart, "s1", func(ev *agent.Event) { ev.Prompt = "third" })
			if _, plan := w.Plan(w.Points()[1].ID); len(plan.Warnings) != 1 || !strings.Contains(plan.Warnings[0], "middle of a turn") {
				t.Errorf("warnings %q", plan.Warnings)
			}
			w.Rewind(w.Points()[1].ID)
			if k.live() != one {
				t.Fatalf("not taken back:\n%s", k.live())
			}
			want := two
			switch {
			case c.held:
				k.write(held, "third", "did it")
			case c.resumed:
				k.last, want = atOne, one
				fallthrough
			default:
				k.append("third", "did it")
			}
			w.Write("a.txt", "3\n")
			w.Event(agent.TurnEnd, "s1", nil)
			got := k.live()
			if !strings.HasPrefix(got, want) || strings.Count(got, "\n") != strings.Count(want, "\n")+2 || !strings.Contains(got[len(want):], "third") {
				t.Errorf("conversation:\n%s\nwant\n%s and the third", got, want)
			}
			var sd sessionstate.EngineState
			if err := session.NewStateStore(w.GitPath(".")).LoadSide(enginetest.SessionID(t, "s1"), sessionstate.EngineStateName, &sd); err != nil || sd.TranscriptCut != nil {
				t.Errorf("still waiting: %+v, %v", sd.TranscriptCut, err)
			}
			w.Git("add", "-A")
			cp := w.CommitHooked("all")
			if stored := w.Metadata(cp, "0/full.jsonl"); stored+"\n" != got && stored != got {
				t.Errorf("stored\n%s\nwant\n%s", stored, got)
			}
		})
	}
}
