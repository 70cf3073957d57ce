package feed

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/agent"
	"entire/session"
)

// TestCompressed: a session whose logs were compressed is fed as before: nothing is
// read or stored again, also where the transcript was taken back, or is read anew.
func TestCompressed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	compress := func() {
		t.Helper()
		store := session.OpenStore(l.base)
		defer store.Close()
		c, err := store.Compress(context.Background(), session.CompressOptions{Before: l.now.AddDate(200, 0, 0)})
		if err != nil || len(c.Failed) > 0 || len(c.Sessions) != 1 {
			t.Fatalf("%+v, %v", c, err)
		}
	}
	records := func() (text string) {
		t.Helper()
		store := session.OpenStore(l.base)
		defer store.Close()
		for r, err := range store.SDKMessages(context.Background(), l.sid.String()) {
			if err != nil {
				t.Fatal(err)
			}
			text += string(r) + "\n"
		}
		return text
	}
	long := strings.Repeat("a long prompt, ", 1500)
	l.say(long + "first")
	l.say(long + "second")
	l.event(agent.TurnEnd)
	cut := len(l.read(l.path))
	compress()
	before := listing(t, l.dir())
	l.event(agent.TurnEnd)
	if after := listing(t, l.dir()); after != before {
		t.Errorf("an event with nothing new wrote:\n%s\nbefore:\n%s", after, before)
	}
	l.say(long + "third")
	l.event(agent.TurnEnd)
	compress()
	l.say("fourth")
	l.event(agent.TurnEnd)
	all := l.read(l.path)
	if got := records(); got != string(all) {
		t.Errorf("%d bytes are stored of %d", len(got), len(all))
	}
	if n := len(l.messages()); n != 12 {
		t.Errorf("%d messages", n)
	}
	// Taken back to the second, and gone on with otherwise.
	if err := os.WriteFile(l.path, all[:cut], 0o600); err != nil {
		t.Fatal(err)
	}
	l.event(agent.TurnEnd)
	l.say("another way")
	l.event(agent.TurnEnd)
	if got, want := records(), string(l.read(l.path)); got != want {
		t.Errorf("after a rewind %d bytes are stored of %d", len(got), len(want))
	}
	if n := len(l.messages()); n != 9 {
		t.Errorf("%d messages after a rewind", n)
	}
	// Read from its first line again: all of it is known.
	if err := os.Remove(filepath.Join(l.dir(), positionName)); err != nil {
		t.Fatal(err)
	}
	stored := l.read(filepath.Join(l.dir(), "transcript.jsonl"))
	l.event(agent.TurnEnd)
	if got := l.read(filepath.Join(l.dir(), "transcript.jsonl")); !bytes.Equal(got, stored) || len(l.messages()) != 9 {
		t.Errorf("read anew: %d bytes, had %d; %d messages", len(got), len(stored), len(l.messages()))
	}
}
