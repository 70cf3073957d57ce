package session

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/session/internal/conversation"
	"entire/session/internal/layout"
	"entire/session/internal/log"
)

// split reads lines in the plain way: those that end with a newline.
func plainLines(text string) []string {
	lines := strings.Split(text, "\n")
	return lines[:len(lines)-1]
}

func checkLines(t *testing.T, text string) {
	t.Helper()
	want := plainLines(text)
	forward := log.NewLineReader(strings.NewReader(text), 0, int64(len(text)))
	for i := 0; ; i++ {
		at := forward.At
		line, err := forward.Next()
		if errors.Is(err, io.EOF) && i == len(want) {
			break
		}
		if err != nil || i >= len(want) || string(line) != want[i] || !strings.HasPrefix(text[at:], want[i]) {
			t.Fatalf("line %d at %d: %.60q, %v", i, at, line, err)
		}
	}
	back, err := log.NewTailReader(strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	for i := len(want) - 1; ; i-- {
		line, at, err := back.Prev()
		if errors.Is(err, io.EOF) && i == -1 {
			break
		}
		if err != nil || i < 0 || string(line) != want[i] || !strings.HasPrefix(text[at:], want[i]) {
			t.Fatalf("line %d from the end at %d: %.60q, %v", i, at, line, err)
		}
	}
}

func TestLinesOfAnyLength(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteString(strings.Repeat("l", rng.IntN(3)*rng.IntN(3*log.ReadSize)+rng.IntN(3)))
			b.WriteByte('\n')
		}
		b.WriteString(strings.Repeat("t", rng.IntN(2)*rng.IntN(2*log.ReadSize)))
		checkLines(t, b.String())
	}
	checkLines(t, strings.Repeat("x", 3<<20)+"\n\n\n")
}

// FuzzLines reads lines in both directions.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"", "\n", "a", "a\n", "\n\na\n\nb", "{}\n{\"a\":1}\nx"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { checkLines(t, text) })
}

func TestTornTail(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, before, after, aside string
	}{
		{"absent", "", "{}\n", ""},
		{"whole", "{\"a\":1}\n", "{\"a\":1}\n{}\n", ""},
		{"torn", "{\"a\":1}\n{\"b\":", "{\"a\":1}\n{}\n", "{\"b\":\n"},
		{"only a torn line", "{\"b\":\"", "{}\n", "{\"b\":\"\n"},
		{"lacks its newline", "{\"a\":1}\n{\"b\":2}", "{\"a\":1}\n{\"b\":2}\n{}\n", ""},
		{"lacks its newline, alone", "{\"b\":2}", "{\"b\":2}\n{}\n", ""},
		{"a number may go on", "12\n34", "12\n{}\n", "34\n"},
		{"zeros", "{\"a\":1}\n\x00\x00\x00", "{\"a\":1}\n{}\n", "\x00\x00\x00\n"},
		{"space", "{\"a\":1}\n  ", "{\"a\":1}\n{}\n", "  \n"},
		{"long", "[1]\n" + strings.Repeat("t", 3*log.ReadSize), "[1]\n{}\n", strings.Repeat("t", 3*log.ReadSize) + "\n"},
		{"in a string", "{\"a\":1}\n{\"b\":\"}", "{\"a\":1}\n{}\n", "{\"b\":\"}\n"},
		{"two objects", "{}{}", "{}\n", "{}{}\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "messages.jsonl")
			if row.before != "" {
				must(t, os.WriteFile(path, []byte(row.before), 0o600))
			}
			at, err := log.AppendLines(path, []byte("{}\n"))
			must(t, err)
			got, err := os.ReadFile(path)
			must(t, err)
			aside, err := os.ReadFile(filepath.Join(filepath.Dir(path), "messages.torn.jsonl"))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if string(got) != row.after || string(aside) != row.aside || at != int64(len(row.after)-3) {
				t.Errorf("at %d: %.80q, aside %.80q", at, got, aside)
			}
		})
	}
}

// TestTornEverywhere cuts a log at every byte, as a crash may: every line before
// stays, and what follows is whole.
func TestTornEverywhere(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	var whole []byte
	for n := 1; n <= 2; n++ {
		whole, _ = conversation.AppendLine(whole, new(say(n)))
	}
	must(t, s.Create(SessionMetadata{ID: "a"}))
	path := filepath.Join(s.Dir("a"), layout.MessagesName)
	for cut := range whole {
		must(t, os.WriteFile(path, whole[:cut], 0o600))
		complete := bytes.Count(whole[:cut], []byte("\n"))
		if whole[cut] == '\n' {
			complete++ // the record lacks nothing else
		}
		if list, err := s.LoadMessages("a"); err != nil || len(list) < complete-1 {
			t.Fatalf("cut at %d: %d messages read, %v", cut, len(list), err)
		}
		must(t, s.AppendMessage("a", say(9)))
		list, err := s.LoadMessages("a")
		if err != nil || len(list) != complete+1 || list[complete].UUID != "m9" {
			t.Fatalf("cut at %d: %s, %v, want %d and m9", cut, uuids(list), err, complete)
		}
	}
}

func TestBadMiddleLine(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	sayAll(t, s, "a", 1, 2)
	must(t, s.Flush(t.Context()))
	path := filepath.Join(s.Dir("a"), layout.MessagesName)
	text, err := os.ReadFile(path)
	must(t, err)
	first, rest, _ := strings.Cut(string(text), "\n")
	damaged := first + "\n{\"uuid\": torn\n\n   \n[1]\n" + rest
	must(t, os.WriteFile(path, []byte(damaged), 0o600))
	sayAll(t, s, "a", 3, 3)

	loaded, err := s.Load("a")
	if err != nil || uuids(loaded.Messages) != "m1 m2 m3" || len(loaded.BadLines) != 2 {
		t.Fatalf("loaded %+v, %v", loaded, err)
	}
	bad := loaded.BadLines[0]
	if bad.File != path || bad.Offset != int64(len(first)+1) || string(bad.Line) != `{"uuid": torn` || !strings.Contains(bad.Error(), path) {
		t.Errorf("reported %+v", bad)
	}
	if loaded.Metadata.MessageCount != 3 {
		t.Errorf("%d messages counted", loaded.Metadata.MessageCount)
	}
	if last, err := s.LastMessages(t.Context(), "a", 3); err != nil || uuids(last) != "m1 m2 m3" {
		t.Errorf("last %s, %v", uuids(last), err)
	}
	if list, err := s.LoadMessagesUpTo("a", "m2"); err != nil || uuids(list) != "m1 m2" {
		t.Errorf("up to m2: %s, %v", uuids(list), err)
	}
	fork, err := s.Fork("a", "b")
	if err != nil || uuids(fork.Messages) != "m1 m2 m3" || len(fork.BadLines) != 2 || fork.Metadata.MessageCount != 3 {
		t.Errorf("fork %+v, %v", fork, err)
	}
	if now, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(now), damaged) {
		t.Error("the damaged lines are gone")
	}
}

func TestPiecesOfOneRecord(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	for _, uuid := range []string{"r1", "r2", "r2#2", "r2#3", "r20", "r3"} {
		must(t, s.AppendMessage("a", Message{UUID: uuid, Role: "user"}))
	}
	for _, row := range []struct{ at, want string }{
		{"r1", "r1"}, {"r2", "r1 r2 r2#2 r2#3"}, {"r2#2", "r1 r2 r2#2"}, {"r20", "r1 r2 r2#2 r2#3 r20"},
	} {
		if list, err := s.LoadMessagesUpTo("a", row.at); err != nil || uuids(list) != row.want {
			t.Errorf("up to %s: %s, %v", row.at, uuids(list), err)
		}
	}
}
