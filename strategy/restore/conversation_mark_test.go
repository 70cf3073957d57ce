package restore_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"entire/agent"
	"entire/strategy/condense"
	"entire/strategy/internal/enginetest"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
)

// talker is a session of some agent's in a world.
type talker struct {
	*enginetest.World
	sid, path string
	turn      func(prompt string, do func())
	forget    func() // what an agent does that starts from a transcript which was cut
}

// talkers are sessions of all shapes of transcript.
func talkers(t *testing.T, test func(t *testing.T, k *talker)) {
	shapes := map[string]func(t *testing.T) *talker{
		"claude": func(t *testing.T) *talker {
			w := enginetest.NewWorld(t)
			return &talker{w, "s1", w.Transcript("s1"), func(prompt string, do func()) { w.Turn("s1", prompt, do) }, func() {}}
		},
		"generic": func(t *testing.T) *talker { return genericTalker(t) },
	}
	for name, lines := range map[string]bool{"gemini document": false, "gemini lines": true} {
		shapes[name] = func(t *testing.T) *talker {
			c := enginetest.NewChat(t, lines)
			return &talker{c.World, c.Sid, c.TranscriptPath, c.Turn, func() { c.Messages = c.Messages[:2] }}
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
	w := enginetest.NewWorld(t)
	k := &talker{World: w, sid: "s1", path: filepath.Join(w.Home, "talk.jsonl"), forget: func() {}}
	hook := func(kind agent.EventType, prompt string) {
		w.Event(kind, k.sid, func(ev *agent.Event) {
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
	k.T.Helper()
	data, err := os.ReadFile(k.path)
	if err != nil {
		k.T.Fatal(err)
	}
	return string(data)
}

func (k *talker) mark() transcript.ConversationMark {
	k.T.Helper()
	var m transcript.ConversationMark
	k.session(func(s *sessionstate.Env, o *sessionstate.LockedSession) {
		var err error
		if m, err = transcript.MarkConversation(k.Ctx, s, o); err != nil {
			k.T.Fatal(err)
		}
	})
	text, err := json.Marshal(m)
	if err != nil {
		k.T.Fatal(err)
	}
	m = transcript.ConversationMark{}
	if err := json.Unmarshal(text, &m); err != nil {
		k.T.Fatal(err)
	}
	return m
}

func (k *talker) session(do func(*sessionstate.Env, *sessionstate.LockedSession)) {
	k.T.Helper()
	e := k.Engine()
	err := e.UpdateSession(k.Ctx, enginetest.SessionID(k.T, k.sid), func(o *sessionstate.LockedSession) error {
		do(e, o)
		return nil
	})
	if err != nil {
		k.T.Fatal(err)
	}
}

// to goes to a mark, twice.
func (k *talker) to(m transcript.ConversationMark) {
	k.T.Helper()
	for range 2 {
		k.session(func(s *sessionstate.Env, o *sessionstate.LockedSession) {
			if told := condense.RestoreConversationTo(k.Ctx, s, o, m); len(told) > 0 {
				k.T.Error(told)
			}
		})
	}
}

func (k *talker) files() map[string]bool {
	k.T.Helper()
	names, err := transcript.TranscriptAndKept(k.path)
	if err != nil {
		k.T.Fatal(err)
	}
	held := map[string]bool{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			k.T.Fatal(err)
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
		if out := k.Rewind(k.Points()[1].ID); len(out.Warnings) > 0 || k.live() != one {
			t.Fatalf("back: %q\n%s", out.Warnings, k.live())
		}
		atOne := k.mark()
		k.forget()
		k.turn("3", func() { k.Write("a.txt", "3\n") })
		three, atThree := k.live(), k.mark()
		for i, step := range []struct {
			to   transcript.ConversationMark
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
		cp := k.CommitHooked("two")
		if got := k.Metadata(cp, "0/full.jsonl"); got+"\n" != two && got != two {
			t.Errorf("stored %q", got)
		}
		if got, want := k.Metadata(cp, "0/prompt.txt"), "first\n\n---\n\nsecond, and much longer than anything that comes later"; got != want {
			t.Errorf("prompts %q", got)
		}
	})
}

// TestTalkIsWhereNobodyHasIt: what can be restored is not mixed up with what stands
// there.
func TestTalkIsWhereNobodyHasIt(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "first", func() { w.Write("a.txt", "1\n") })
	k := &talker{World: w, sid: "s1", path: w.Transcript("s1")}
	m := k.mark()
	if err := os.WriteFile(k.path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k.session(func(s *sessionstate.Env, o *sessionstate.LockedSession) {
		if told := condense.RestoreConversationTo(k.Ctx, s, o, m); len(told) != 1 {
			t.Errorf("%q", told)
		}
	})
	if k.live() != "{}\n" {
		t.Errorf("%q", k.live())
	}
}
