package strategy

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"entire/agent"
)

// talker is a session of some agent's in a world.
type talker struct {
	*world
	sid, path string
	turn      func(prompt string, do func())
	forget    func() // what an agent does that starts from a transcript which was cut
}

// talkers are sessions of all shapes of transcript.
func talkers(t *testing.T, test func(t *testing.T, k *talker)) {
	shapes := map[string]func(t *testing.T) *talker{
		"claude": func(t *testing.T) *talker {
			w := newWorld(t)
			return &talker{w, "s1", w.transcript("s1"), func(prompt string, do func()) { w.turn("s1", prompt, do) }, func() {}}
		},
		"generic": func(t *testing.T) *talker { return genericTalker(t) },
	}
	for name, lines := range map[string]bool{"gemini document": false, "gemini lines": true} {
		shapes[name] = func(t *testing.T) *talker {
			c := newChat(t, lines)
			return &talker{c.world, c.sid, c.path, c.turn, func() { c.messages = c.messages[:2] }}
		}
	}
	for name, make := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, make(t))
		})
	}
}

// genericTalker is an agent whose lines have neither names nor parents.
func genericTalker(t *testing.T) *talker {
	w := newWorld(t)
	k := &talker{world: w, sid: "s1", path: filepath.Join(w.Home, "talk.jsonl"), forget: func() {}}
	hook := func(kind agent.EventType, prompt string) {
		w.event(kind, k.sid, func(ev *agent.Event) {
			ev.Agent, ev.AgentType, ev.TranscriptPath, ev.Prompt = agent.AgentNameGeneric, agent.AgentTypeUnknown, k.path, prompt
		})
	}
	k.turn = func(prompt string, do func()) {
		hook(agent.TurnStart, prompt)
		do()
		text := fmt.Sprintf("{\"role\": \"user\",\t\"content\":%q, \"n\":1.0}\n{\"role\":\"assistant\",\"content\":\"did %s\"}\n", prompt, prompt)
		f, err := os.OpenFile(k.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		hook(agent.TurnEnd, "")
	}
	return k
}

func (k *talker) live() string {
	k.t.Helper()
	data, err := os.ReadFile(k.path)
	if err != nil {
		k.t.Fatal(err)
	}
	return string(data)
}

func (k *talker) mark() talkMark {
	k.t.Helper()
	var m talkMark
	k.session(func(s *ManualCommitStrategy, o *open) {
		var err error
		if m, err = s.talkMark(k.ctx, o); err != nil {
			k.t.Fatal(err)
		}
	})
	text, err := json.Marshal(m)
	if err != nil {
		k.t.Fatal(err)
	}
	m = talkMark{}
	if err := json.Unmarshal(text, &m); err != nil {
		k.t.Fatal(err)
	}
	return m
}

func (k *talker) session(do func(*ManualCommitStrategy, *open)) {
	k.t.Helper()
	e := k.engine()
	err := e.inSession(k.ctx, sessionID(k.t, k.sid), func(o *open) error {
		do(e, o)
		return nil
	})
	if err != nil {
		k.t.Fatal(err)
	}
}

// to goes to a mark, twice.
func (k *talker) to(m talkMark) {
	k.t.Helper()
	for range 2 {
		k.session(func(s *ManualCommitStrategy, o *open) {
			if told := s.talkTo(k.ctx, o, m); len(told) > 0 {
				k.t.Error(told)
			}
		})
	}
}

func (k *talker) files() map[string]bool {
	k.t.Helper()
	names, err := withKept(k.path)
	if err != nil {
		k.t.Fatal(err)
	}
	held := map[string]bool{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			k.t.Fatal(err)
		}
		held[string(data)] = true
	}
	return held
}

// TestTalkGoesBackAndForth: every shape, byte for byte, also to what a rewind left
// and to what came after that; nothing of it is ever in no file.
func TestTalkGoesBackAndForth(t *testing.T) {
	t.Parallel()
	talkers(t, func(t *testing.T, k *talker) {
		k.turn("first", func() { k.Write("a.txt", "1\n") })
		one := k.live()
		k.turn("second, and much longer than anything that comes later", func() { k.Write("a.txt", "2\n") })
		two, atTwo := k.live(), k.mark()
		if out := k.rewind(k.points()[1].ID); len(out.Warnings) > 0 || k.live() != one {
			t.Fatalf("back: %q\n%s", out.Warnings, k.live())
		}
		atOne := k.mark()
		k.forget()
		k.turn("3", func() { k.Write("a.txt", "3\n") })
		three, atThree := k.live(), k.mark()
		for i, step := range []struct {
			to   talkMark
			want string
		}{{atTwo, two}, {atThree, three}, {atOne, one}, {atTwo, two}, {atThree, three}, {atTwo, two}} {
			k.to(step.to)
			if got := k.live(); got != step.want {
				t.Fatalf("step %d:\n%s\nwant\n%s", i, got, step.want)
			}
			held := k.files()
			if !held[two] || !held[three] {
				t.Fatalf("step %d: lost: %v", i, held)
			}
		}
		if n := len(k.files()); n > 3 {
			t.Errorf("%d files", n)
		}
		// What is counted and stored is what stands there now.
		k.Git("add", "-A")
		cp := k.commit("two")
		if got := k.metadata(cp, "0/full.jsonl"); got+"\n" != two && got != two {
			t.Errorf("stored %q", got)
		}
		if got, want := k.metadata(cp, "0/prompt.txt"), "first\n\n---\n\nsecond, and much longer than anything that comes later"; got != want {
			t.Errorf("prompts %q", got)
		}
	})
}

// TestTalkIsWhereNobodyHasIt: what can be restored is not mixed up with what stands
// there.
func TestTalkIsWhereNobodyHasIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.turn("s1", "first", func() { w.Write("a.txt", "1\n") })
	k := &talker{world: w, sid: "s1", path: w.transcript("s1")}
	m := k.mark()
	if err := os.WriteFile(k.path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k.session(func(s *ManualCommitStrategy, o *open) {
		if told := s.talkTo(k.ctx, o, m); len(told) != 1 {
			t.Errorf("%q", told)
		}
	})
	if k.live() != "{}\n" {
		t.Errorf("%q", k.live())
	}
}
