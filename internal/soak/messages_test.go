//go:build soak

package soak

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

// messaged insists that each session of a checkpoint has its own messages beside
// its slot, whole, and of the transcript that is there. It returns the sessions.
func messaged(t *testing.T, r *testrepo.Repo, cp string) (sessions []string) {
	t.Helper()
	dir := metadata + ":" + cp[:2] + "/" + cp[2:] + "/"
	read := func(name string) string {
		out, err := r.Command("git", "cat-file", "blob", dir+name).Output()
		if err != nil {
			t.Errorf("checkpoint %s: read %s: %v", cp, name, err)
		}
		return string(out)
	}
	files := 0
	for n := 0; ; n++ {
		if _, err := r.TryGit("cat-file", "-e", fmt.Sprintf("%s%d/metadata.json", dir, n)); err != nil {
			break
		}
		var slot, info struct {
			Session    string `json:"session_id"`
			Messages   int    `json:"message_count"`
			Chunks     int    `json:"chunks"`
			Hash       string `json:"hash"`
			Transcript string `json:"transcript"`
		}
		if err := json.Unmarshal([]byte(read(fmt.Sprintf("%d/metadata.json", n))), &slot); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(read(fmt.Sprintf("messages-%d.json", n))), &info); err != nil {
			t.Fatal(err)
		}
		var chunks []string
		for i := range info.Chunks {
			name := fmt.Sprintf("messages-%d.jsonl", n)
			if i > 0 {
				name += fmt.Sprintf(".%03d", i)
			}
			chunks = append(chunks, read(name))
		}
		files += 1 + len(chunks)
		text := strings.Join(chunks, "\n")
		if info.Session != slot.Session || info.Transcript != read(fmt.Sprintf("%d/content_hash.txt", n)) ||
			info.Hash != fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) || info.Messages != strings.Count(text, "\n") || info.Messages == 0 {
			t.Errorf("checkpoint %s: slot %d is of %s, the messages are %+v", cp, n, slot.Session, info)
		}
		sessions = append(sessions, slot.Session)
	}
	if have := strings.Count(r.Git("ls-tree", "--name-only", dir), "messages-"); have != files {
		t.Errorf("checkpoint %s: %d files of messages, want %d", cp, have, files)
	}
	return sessions
}

// Two clones each add a session to one checkpoint, by amending its commit, and
// exchange: both end with all three sessions, each with its own messages.
func TestSoakExchangeOneCheckpoint(t *testing.T) {
	p := newPair(t)
	var cp string
	for cp = range stored(p.a) {
	}
	for i, r := range p.clones() {
		k := (&place{Repo: r, t: t, logged: map[string]int{}}).talk(i + 2)
		k.prompt()
		k.write(fmt.Sprintf("src/%s.txt", k.id[:8]), text(i, 500))
		k.say(300_000) // several chunks
		if out, err := k.stop().CombinedOutput(); err != nil {
			t.Fatalf("stop: %v\n%s", err, out)
		}
		r.Git("add", "src")
		r.Git("commit", "-q", "--amend", "--no-edit")
		if got := messaged(t, r, cp); len(got) != 2 {
			t.Fatalf("after the amend the checkpoint has %v", got)
		}
	}
	all := orders([]string{"a push", "b push", "a sync", "b sync"})
	for i, order := range all {
		c := p.copied(fmt.Sprint("one", i))
		c.a.Git("switch", "-q", "-c", "amended") // what it was cannot be pushed where main is
		for _, op := range append(order, "a sync", "b sync", "a sync") {
			c.step(op)
		}
		if a, b := c.a.Git("rev-parse", metadata), c.b.Git("rev-parse", metadata); a != b {
			t.Errorf("%v: ends with %s and %s", order, a, b)
		}
		for _, r := range c.clones() {
			if got := messaged(t, r, cp); len(got) != 3 {
				t.Errorf("%v: sessions %v", order, got)
			}
			r.Fsck()
		}
		_ = os.RemoveAll(c.dir)
	}
}
