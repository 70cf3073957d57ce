package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/session/internal/conversation"
	"entire/session/internal/index"
	"entire/session/internal/layout"
	"entire/session/internal/log"
)

// manySessions returns a store of n sessions, s000 being the last updated, whose
// index is believed.
func manySessions(t *testing.T, n int) *Store {
	t.Helper()
	s := testStore(t)
	for i := range n {
		must(t, s.Create(SessionMetadata{ID: fmt.Sprintf("s%03d", i), CWD: "/w", UpdatedAt: aDay.Add(-time.Duration(i) * time.Hour)}))
	}
	time.Sleep(2 * index.RacyWindow)
	must(t, second(s.List()))
	if _, err := os.Stat(filepath.Join(s.Base(), layout.ListName)); n > index.RewriteAbove && err != nil {
		t.Fatalf("no index: %v", err)
	}
	return s
}

func ids(t *testing.T, s *Store) []string {
	t.Helper()
	list, err := s.List()
	must(t, err)
	var out []string
	for _, meta := range list {
		out = append(out, meta.ID)
	}
	return out
}

func TestListSeesEveryChange(t *testing.T) {
	t.Parallel()
	s := manySessions(t, 30)
	must(t, s.Delete("s003"))
	must(t, s.Create(SessionMetadata{ID: "new", UpdatedAt: aDay.Add(time.Hour)}))
	must(t, s.UpdateMetadata("s004", func(m *SessionMetadata) { m.Title, m.TotalCostUSD = "changed", 1.5 }))
	sayAll(t, s, "s029", 1, 3)
	other := `{"session_id":"s005","created_at":"2026-01-01T00:00:00Z","cwd":"/foreign","turn_count":9,"x":[1]}`
	must(t, os.WriteFile(filepath.Join(s.Dir("s005"), layout.MetadataName), []byte(other), 0o600))
	must(t, os.Mkdir(filepath.Join(s.Base(), "no session"), 0o750))
	must(t, os.Mkdir(filepath.Join(s.Base(), "empty"), 0o750))

	fresh := OpenStore(s.Base(), WithSync(false))
	defer fresh.Close()
	must(t, s.Flush(t.Context()))
	got := ids(t, fresh)
	if len(got) != 30 || got[0] != "new" || got[1] != "s029" || slices.Contains(got, "s003") {
		t.Errorf("listed %v", got)
	}
	list, err := fresh.List()
	must(t, err)
	for _, meta := range list {
		read, err := fresh.Metadata(t.Context(), meta.ID)
		if err != nil || !reflect.DeepEqual(meta, read) {
			t.Errorf("listed %+v\nread   %+v, %v", meta, read, err)
		}
	}
}

// TestListBelievesTheIndex shows that what is in the index is not read: its
// content is what is listed, as long as the stamps agree.
func TestListBelievesTheIndex(t *testing.T) {
	t.Parallel()
	s := manySessions(t, 20)
	x := index.ReadList(s.queue.Base)
	if len(x.Sessions) != 20 {
		t.Fatalf("the index has %d sessions", len(x.Sessions))
	}
	x.Sessions[7].Meta.Title = "from the index"
	must(t, os.WriteFile(filepath.Join(s.Base(), layout.ListName), x.Encode(), 0o600))
	list, err := s.List()
	if err != nil || list[7].Title != "from the index" {
		t.Errorf("%+v, %v", list[7], err)
	}
}

func TestListDamagedIndex(t *testing.T) {
	t.Parallel()
	s := manySessions(t, 20)
	path := filepath.Join(s.Base(), layout.ListName)
	good, err := os.ReadFile(path)
	must(t, err)
	want := ids(t, s)
	flipped := slices.Clone(good)
	flipped[len(flipped)/2] ^= 1
	for name, data := range map[string][]byte{
		"empty": {}, "cut": good[:len(good)/2], "flipped": flipped, "other": []byte(indexMagic + "0000"), "long": append(good, 0),
	} {
		must(t, os.WriteFile(path, data, 0o600))
		if got := ids(t, s); !slices.Equal(got, want) {
			t.Errorf("%s: listed %v", name, got)
		}
		if now, err := os.ReadFile(path); err != nil || len(index.ReadList(s.queue.Base).Sessions) != 20 {
			t.Errorf("%s: not written anew: %d bytes, %v", name, len(now), err)
		}
	}
	must(t, os.Remove(path))
	must(t, os.Mkdir(path, 0o750)) // cannot be read nor written
	if got := ids(t, s); !slices.Equal(got, want) {
		t.Errorf("listed %v", got)
	}
}

// TestListAfterAKill lists what a writer had appended that was killed before it
// counted: the index is older than the messages, and does not say so.
func TestListAfterAKill(t *testing.T) {
	t.Parallel()
	s := manySessions(t, 20)
	sid, dir, l, err := s.queue.Lock("s004")
	must(t, err)
	must(t, s.queue.MarkBehind(sid))
	line, _ := conversation.AppendLine(nil, new(say(1)))
	must(t, second(log.AppendLines(filepath.Join(dir, layout.MessagesName), line)))
	must(t, l.Release())
	for range 2 {
		list, err := s.List()
		i := slices.IndexFunc(list, func(m SessionMetadata) bool { return m.ID == "s004" })
		if err != nil || list[i].MessageCount != 1 {
			t.Errorf("listed %+v, %v", list[i], err)
		}
	}
	sayAll(t, s, "s004", 2, 2)
	must(t, s.Flush(t.Context()))
	if left := s.queue.MarkedBehind(); len(left) != 0 {
		t.Errorf("still marked: %v", left)
	}
	if meta, _, err := conversation.ReadMetadata(dir, sid); err != nil || meta.MessageCount != 2 {
		t.Errorf("on disk %+v, %v", meta, err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	for _, sid := range []string{"abc-1", "abc-2", "abc", "xyz"} {
		must(t, s.Create(SessionMetadata{ID: sid}))
	}
	for _, row := range []struct {
		prefix, want string
		err          error
	}{
		{"x", "xyz", nil}, {"abc-1", "abc-1", nil}, {"abc", "abc", nil}, {"ab", "", ErrAmbiguous}, {"q", "", ErrNotFound}, {"", "", ErrNotFound},
	} {
		if got, err := s.Find(t.Context(), row.prefix); got != row.want || !errors.Is(err, row.err) {
			t.Errorf("%q: %q, %v", row.prefix, got, err)
		}
	}
	if err := second(s.Find(t.Context(), "ab")); !strings.Contains(err.Error(), "abc-1, abc-2") {
		t.Errorf("%v", err)
	}
}

func TestSweepBuilds(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	left := filepath.Join(s.Base(), ".new-123")
	must(t, os.Mkdir(left, 0o750))
	for hours, want := range map[int]bool{0: true, 2: false} {
		index.RemoveStaleBuilds(s.Base(), time.Now().Add(time.Duration(hours)*time.Hour))
		if _, err := os.Stat(left); (err == nil) != want {
			t.Errorf("after %d hours: %v", hours, err)
		}
		must(t, os.MkdirAll(left, 0o750))
	}
	if got := ids(t, s); len(got) != 1 {
		t.Errorf("listed %v", got)
	}
}

func TestListCancelled(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.ListContext(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// FuzzListIndex reads the part of an index that a checksum guards.
func FuzzListIndex(f *testing.F) {
	at := aDay
	full := SessionMetadata{
		ID: "a", CWD: "/w", Title: "t", AgentType: "x", MessageCount: 3, TotalCostUSD: 0.5, EndedAt: &at, CreatedAt: aDay, UpdatedAt: aDay,
		Usage:   &agent.TokenUsage{InputTokens: 1, SubagentTokens: &agent.TokenUsage{OutputTokens: 2}},
		Counted: 99, Unknown: []layout.Field{{Key: "k", Raw: []byte(`[1]`)}},
	}
	x := index.ListIndex{Begun: 5, Sessions: []index.ListEntry{{Name: "-"}, {Name: "a", Stamp: layout.Stamp{Size: 1, Mtime: 2, Ctime: 3, Inode: 4, Regular: true}, Known: true, Meta: full}}}
	if got, err := index.DecodeList(x.Encode()); err != nil || !reflect.DeepEqual(got, x) {
		f.Fatalf("got %+v, %v, want %+v", got, err, x)
	}
	f.Add(x.Encode()[len(index.ListMagic)+4:])
	f.Add([]byte{0, 0, 0})
	f.Add([]byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := index.DecodeList(sealed(index.ListMagic, data))
		if err != nil {
			return
		}
		again, err := index.DecodeList(x.Encode())
		if err != nil || again.Begun != x.Begun || len(again.Sessions) != len(x.Sessions) {
			t.Fatalf("%x: %+v became %+v, %v", data, x, again, err)
		}
	})
}
