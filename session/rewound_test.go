package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/session/internal/conversation"
	"entire/session/internal/layout"
)

// spoken is a session of a store, to which letters are said.
type spoken struct {
	*Store
	t  *testing.T
	id string
}

func newTalk(t *testing.T) *spoken {
	t.Helper()
	s := OpenStore(filepath.Join(t.TempDir(), "sessions"), WithClock(func() time.Time { return time.Unix(1000, 0) }))
	t.Cleanup(func() { s.Close() })
	if err := s.Create(SessionMetadata{ID: "s1", CWD: "/w"}); err != nil {
		t.Fatal(err)
	}
	return &spoken{s, t, "s1"}
}

func (k *spoken) say(names string) {
	k.t.Helper()
	for _, u := range strings.Fields(names) {
		m := Message{UUID: u, Role: agent.RoleUser, Content: "I say " + u, Usage: &agent.TokenUsage{InputTokens: 1}}
		if err := k.AppendMessage(k.id, m); err != nil {
			k.t.Fatal(err)
		}
	}
}

func (k *spoken) back(to string) {
	k.t.Helper()
	if err := k.Rewind(k.t.Context(), k.id, to, ""); err != nil {
		k.t.Fatal(err)
	}
}

func namesOf(list []Message) string {
	var out []string
	for _, m := range list {
		out = append(out, m.UUID)
	}
	return strings.Join(out, " ")
}

// reads checks that every way of reading gives the same.
func (k *spoken) reads(want string) {
	k.t.Helper()
	ctx := k.t.Context()
	list, err := k.LoadMessages(k.id)
	if err != nil || namesOf(list) != want {
		k.t.Errorf("messages %q, want %q, %v", namesOf(list), want, err)
	}
	for n := range 4 {
		last, err := k.LastMessages(ctx, k.id, n)
		if all := strings.Fields(want); err != nil || namesOf(last) != strings.Join(all[max(0, len(all)-n):], " ") {
			k.t.Errorf("last %d: %q, %v", n, namesOf(last), err)
		}
	}
	loaded, err := k.Load(k.id)
	if err != nil {
		k.t.Fatal(err)
	}
	m := loaded.Metadata
	if m.MessageCount != len(strings.Fields(want)) || m.LastMessage != lastUUID(list) {
		k.t.Errorf("%d messages, the last %q, want %q", m.MessageCount, m.LastMessage, want)
	}
	told := 0
	var seen []string
	for e, err := range k.History(ctx, k.id) {
		switch {
		case err != nil:
			k.t.Fatal(err)
		case e.Rewind != nil:
			continue
		case !e.Rewound:
			seen = append(seen, e.UUID)
		}
		told++
	}
	if got := strings.Join(seen, " "); got != want {
		k.t.Errorf("history %q, want %q", got, want)
	}
	if m.TotalTokens != told {
		k.t.Errorf("%d tokens of %d messages that were ever said", m.TotalTokens, told)
	}
	// Counted from nothing it is the same.
	if err := os.Remove(filepath.Join(k.Dir(k.id), layout.MetadataName)); err != nil && !os.IsNotExist(err) {
		k.t.Fatal(err)
	}
	again, err := k.Metadata(ctx, k.id)
	if err != nil || again.MessageCount != m.MessageCount || again.LastMessage != m.LastMessage || again.Rewinds != m.Rewinds || again.TotalTokens != m.TotalTokens {
		k.t.Errorf("counted again: %+v\n%+v, %v", again, m, err)
	}
}

// TestRewindIsARecord takes conversations back and forth; what was said is still
// there, and reads as the conversation up to the point and what came afterwards.
func TestRewindIsARecord(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ do, want string }{
		"none":                            {"a b c", "a b c"},
		"back":                            {"a b c <a", "a"},
		"to the beginning":                {"a b c <", ""},
		"to the beginning and on":         {"a b < c d", "c d"},
		"on":                              {"a b c <a d e", "a d e"},
		"twice":                           {"a b c <a d e <d f", "a d f"},
		"twice to the same":               {"a b c <a d <a e", "a e"},
		"forth":                           {"a b c <a <c", "a b c"},
		"forth and on":                    {"a b c <a <c d", "a b c d"},
		"forth though something was said": {"a b c <a d <c e", "a b c e"},
		"forth to what was said":          {"a b c <a d <c e <d f", "a d f"},
		"further back":                    {"a b c <b d <a e", "a e"},
		"further back and forth":          {"a b c <b d <a <d e", "a b d e"},
		"to the last":                     {"a b <b c", "a b c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newTalk(t)
			for _, w := range strings.Fields(c.do) {
				if to, back := strings.CutPrefix(w, "<"); back {
					k.back(to)
				} else {
					k.say(w)
				}
			}
			k.reads(c.want)
			k.say("z")
			k.reads(strings.TrimSpace(c.want + " z"))
		})
	}
}

func TestRewindToNothing(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.say("a b")
	if err := k.Rewind(t.Context(), "s1", "nope", ""); err == nil {
		t.Error("taken back to what is not there")
	}
	// A record of another program that names nothing leaves everything as it is.
	m, err := k.RewindRecord("nope", "")
	if err == nil {
		err = k.AppendMessage("s1", m)
	}
	if err != nil {
		t.Fatal(err)
	}
	k.reads("a b")
}

// TestForkOfARewound: at what was taken back, at what came afterwards, at the end.
func TestForkOfARewound(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.say("a b c")
	k.back("a")
	k.say("d e")
	for i, c := range []struct{ at, want string }{{"", "a d e"}, {"e", "a d e"}, {"d", "a d"}, {"a", "a"}, {"b", "a b"}, {"c", "a b c"}} {
		name := fmt.Sprintf("f%d", i)
		if _, err := k.ForkAt(t.Context(), "s1", name, c.at); err != nil {
			t.Fatal(err)
		}
		f := &spoken{k.Store, t, name}
		list, err := f.LoadMessages(name)
		if err != nil || namesOf(list) != c.want {
			t.Errorf("at %q: %q, want %q, %v", c.at, namesOf(list), c.want, err)
		}
		m, err := f.Metadata(t.Context(), name)
		if err != nil || m.MessageCount != len(strings.Fields(c.want)) || m.LastMessage != lastUUID(list) {
			t.Errorf("at %q: %+v, %v", c.at, m, err)
		}
		f.say("x")
		if list, _ = f.LoadMessages(name); namesOf(list) != c.want+" x" {
			t.Errorf("at %q: %q", c.at, namesOf(list))
		}
	}
	if up, err := k.LoadMessagesUpTo("s1", "b"); err != nil || namesOf(up) != "a b" {
		t.Errorf("up to b: %q, %v", namesOf(up), err)
	}
	if s, err := k.Resume("s1", "c"); err != nil || s.Save() == nil {
		t.Errorf("resumed where it was taken back: %v", err)
	}
	k.reads("a d e")
}

// TestStreamRewound: the agent's own stream goes on from where it was cut.
func TestStreamRewound(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	var stream []byte
	add := func(lines ...string) (size int64) {
		for _, l := range lines {
			stream = append(append(stream, l...), '\n')
		}
		if err := k.AppendBatch(t.Context(), "s1", Batch{Raw: []byte(strings.Join(lines, "\n"))}); err != nil {
			t.Fatal(err)
		}
		return int64(len(stream))
	}
	one := add(`{"n":1}`)
	two := add(`{"n":2}`, `{"n":2}`)
	k.say("a b c")
	k.back("a")
	add(string(conversation.StreamRewind(one)), `{"n":3}`)
	want := func(want string) {
		t.Helper()
		var got []string
		for line, err := range k.SDKMessages(t.Context(), "s1") {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.Trim(string(line), `{}"n:`))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q, want %q", s, want)
		}
	}
	want("1 3")
	add(string(conversation.StreamRewind(two)))
	want("1 2 2")
	if err := k.AppendBatch(t.Context(), "s1", Batch{Raw: []byte(`{"uuid":"x"}`)}); err != nil {
		t.Fatal(err)
	}
	add(string(conversation.StreamRewind(one)))
	for line, err := range k.SDKMessagesUpTo(t.Context(), "s1", "x") {
		if err != nil || !strings.Contains("1 2 2 x", strings.Trim(string(line), `{}"nuid:`)) {
			t.Errorf("up to x: %s, %v", line, err)
		}
	}
	var all []string
	for line := range k.SDKHistory(t.Context(), "s1") {
		all = append(all, string(line.Record))
	}
	if len(all) != 8 || !slices.Contains(all, `{"entire_rewind":{"bytes":8}}`) {
		t.Errorf("%q", all)
	}
}
