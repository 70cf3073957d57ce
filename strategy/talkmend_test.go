package strategy

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"entire/agent"
	"entire/session"
)

// follower is a session whose records follow each other, as Claude's do.
type follower struct {
	*world
	sid, last string
	n         int
}

func (c *follower) write(f *os.File, texts ...string) {
	c.t.Helper()
	for _, text := range texts {
		c.n++
		uuid := fmt.Sprintf("r-%03d", c.n)
		kind := []string{"assistant", "user"}[c.n%2]
		_, err := fmt.Fprintf(f, `{"parentUuid":%q,"type":%q,"uuid":%q,"extra":[1.0],"message":{"role":%q,"content":%q}}`+"\n", c.last, kind, uuid, kind, text)
		if err != nil {
			c.t.Fatal(err)
		}
		c.last = uuid
	}
}

func (c *follower) append(texts ...string) {
	c.t.Helper()
	f, err := os.OpenFile(c.transcript(c.sid), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	c.write(f, texts...)
}

func (c *follower) turn(prompt string, do func()) {
	c.t.Helper()
	c.event(agent.TurnStart, c.sid, func(ev *agent.Event) { ev.Prompt = prompt })
	c.append(prompt, "did "+prompt)
	do()
	c.event(agent.TurnEnd, c.sid, nil)
}

func (c *follower) live() string {
	c.t.Helper()
	data, err := os.ReadFile(c.transcript(c.sid))
	if err != nil {
		c.t.Fatal(err)
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
			w := newWorld(t)
			k := &follower{world: w, sid: "s1"}
			k.turn("first", func() { w.Write("a.txt", "1\n") })
			one, atOne := k.live(), k.last
			k.turn("second", func() { w.Write("a.txt", "2\n") })
			two := k.live()
			held, err := os.OpenFile(w.transcript("s1"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer held.Close()
			w.event(agent.TurnStart, "s1", func(ev *agent.Event) { ev.Prompt = "third" })
			if _, plan := w.plan(w.points()[1].ID); len(plan.Warnings) != 1 || !strings.Contains(plan.Warnings[0], "middle of a turn") {
				t.Errorf("warnings %q", plan.Warnings)
			}
			w.rewind(w.points()[1].ID)
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
			w.event(agent.TurnEnd, "s1", nil)
			got := k.live()
			if !strings.HasPrefix(got, want) || strings.Count(got, "\n") != strings.Count(want, "\n")+2 || !strings.Contains(got[len(want):], "third") {
				t.Errorf("conversation:\n%s\nwant\n%s and the third", got, want)
			}
			var sd side
			if err := session.NewStateStore(w.GitPath(".")).LoadSide(sessionID(t, "s1"), sideName, &sd); err != nil || sd.Cut != nil {
				t.Errorf("still waiting: %+v, %v", sd.Cut, err)
			}
			w.Git("add", "-A")
			cp := w.commit("all")
			if stored := w.metadata(cp, "0/full.jsonl"); stored+"\n" != got && stored != got {
				t.Errorf("stored\n%s\nwant\n%s", stored, got)
			}
		})
	}
}
