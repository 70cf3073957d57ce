package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/session/internal/layout"
)

// aDay is when the tests' sessions take place.
var aDay = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func testStore(t *testing.T, opts ...Option) *Store {
	t.Helper()
	s := OpenStore(filepath.Join(t.TempDir(), "sessions"), append([]Option{WithSync(false)}, opts...)...)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// say returns the nth message of a conversation, whose UUID is mn.
func say(n int) Message {
	m := Message{
		UUID: fmt.Sprintf("m%d", n), Role: agent.RoleUser, Content: fmt.Sprintf("message %d <&>", n),
		Timestamp: aDay.Add(time.Duration(n) * time.Second),
	}
	if n > 1 {
		m.ParentUUID = fmt.Sprintf("m%d", n-1)
	}
	if n%2 == 0 {
		m.Role, m.Model, m.Usage = agent.RoleAssistant, "model-1", &agent.TokenUsage{InputTokens: 10, OutputTokens: 1}
	}
	return m
}

// sayAll appends the messages from to to, both included.
func sayAll(t *testing.T, s SessionStore, sid string, from, to int) {
	t.Helper()
	for n := from; n <= to; n++ {
		must(t, s.AppendMessage(sid, say(n)))
	}
}

func uuids(list []Message) string {
	var out []string
	for _, m := range list {
		out = append(out, m.UUID)
	}
	return strings.Join(out, " ")
}

func wantSaid(t *testing.T, s SessionStore, sid, want string) {
	t.Helper()
	list, err := s.LoadMessages(sid)
	if err != nil || uuids(list) != want {
		t.Errorf("session %s says %q, %v; want %q", sid, uuids(list), err, want)
	}
}

func TestStoreMessages(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a", CWD: "/w"}))
	sayAll(t, s, "a", 1, 5)
	list, err := s.LoadMessages("a")
	must(t, err)
	var want []Message
	for n := 1; n <= 5; n++ {
		want = append(want, say(n))
	}
	if !reflect.DeepEqual(list, want) {
		t.Errorf("got %+v\nwant %+v", list, want)
	}
	for _, row := range []struct{ upTo, want string }{
		{"m1", "m1"}, {"m3", "m1 m2 m3"}, {"m5", "m1 m2 m3 m4 m5"},
	} {
		list, err := s.LoadMessagesUpTo("a", row.upTo)
		if err != nil || uuids(list) != row.want {
			t.Errorf("up to %s: %q, %v", row.upTo, uuids(list), err)
		}
	}
	if list, err := s.LoadMessagesUpTo("a", "m9"); !errors.Is(err, ErrNoMessage) || list != nil {
		t.Errorf("up to a message there is not: %v, %v", list, err)
	}
	for _, row := range []struct {
		n    int
		want string
	}{{0, ""}, {2, "m4 m5"}, {5, "m1 m2 m3 m4 m5"}, {50, "m1 m2 m3 m4 m5"}} {
		list, err := s.LastMessages(t.Context(), "a", row.n)
		if err != nil || uuids(list) != row.want {
			t.Errorf("last %d: %q, %v", row.n, uuids(list), err)
		}
	}
}

func TestStoreMetadataCounts(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a", CWD: "/w", CreatedAt: aDay}))
	sayAll(t, s, "a", 1, 4)
	must(t, s.UpdateMetadata("a", func(m *SessionMetadata) {
		m.TurnCount, m.ExitReason, m.MessageCount, m.ID = 2, "end_turn", 99, "b"
	}))
	sayAll(t, s, "a", 5, 6)
	must(t, s.Flush(t.Context()))
	data, err := os.ReadFile(filepath.Join(s.Dir("a"), layout.MetadataName))
	must(t, err)
	onDisk := new(SessionMetadata)
	must(t, onDisk.UnmarshalJSON(data))
	read, err := s.Metadata(t.Context(), "a")
	must(t, err)
	if !reflect.DeepEqual(*onDisk, read) {
		t.Errorf("on disk %+v\nread    %+v", *onDisk, read)
	}
	want := SessionMetadata{
		ID: "a", CWD: "/w", CreatedAt: aDay, UpdatedAt: say(6).Timestamp, MessageCount: 6, TurnCount: 2, ExitReason: "end_turn",
		TotalTokens: 33, Usage: &agent.TokenUsage{InputTokens: 30, OutputTokens: 3}, Model: "model-1", Title: "message 1 <&>",
		LastMessage: "m6", Counted: read.Counted,
	}
	if !reflect.DeepEqual(read, want) {
		t.Errorf("got  %+v\nwant %+v", read, want)
	}
}

func TestStoreFork(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a", CWD: "/w"}))
	sayAll(t, s, "a", 1, 6)
	whole, err := s.Fork("a", "whole")
	must(t, err)
	part, err := s.ForkAt(t.Context(), "a", "part", "m3")
	must(t, err)
	if whole.Metadata.ParentID != "a" || whole.Metadata.ForkPoint != "m6" || whole.Metadata.MessageCount != 6 ||
		part.Metadata.ForkPoint != "m3" || part.Metadata.MessageCount != 3 || part.Metadata.TotalTokens != 11 {
		t.Errorf("whole %+v\npart %+v", whole.Metadata, part.Metadata)
	}
	sayAll(t, s, "a", 7, 7)
	sayAll(t, s, "whole", 17, 17)
	sayAll(t, s, "part", 24, 25)
	again, err := s.ForkAt(t.Context(), "part", "again", "m24")
	must(t, err)
	inBase, err := s.ForkAt(t.Context(), "again", "base", "m2")
	must(t, err)
	must(t, s.Delete("a"))
	must(t, s.Delete("part"))
	wantSaid(t, s, "whole", "m1 m2 m3 m4 m5 m6 m17")
	wantSaid(t, s, "again", "m1 m2 m3 m24")
	wantSaid(t, s, "base", "m1 m2")
	if again.Metadata.MessageCount != 4 || inBase.Metadata.MessageCount != 2 || inBase.Metadata.ParentID != "again" {
		t.Errorf("again %+v\nbase %+v", again.Metadata, inBase.Metadata)
	}
	last, err := s.LastMessages(t.Context(), "again", 2)
	if err != nil || uuids(last) != "m3 m24" {
		t.Errorf("last of a fork: %s, %v", uuids(last), err)
	}
	must(t, s.Undelete(t.Context(), "a"))
	wantSaid(t, s, "a", "m1 m2 m3 m4 m5 m6 m7")
}

func TestStoreErrors(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, layout.MetadataName), []byte(`{"id":"link"}`), 0o600))
	must(t, os.Symlink(outside, filepath.Join(s.Base(), "link")))
	for _, row := range []struct {
		name string
		err  error
		want error
		text string
	}{
		{"exists", s.Create(SessionMetadata{ID: "a"}), ErrExists, "a"},
		{"absent", second(s.Load("b")), ErrNotFound, "b"},
		{"absent fork", second(s.Fork("b", "c")), ErrNotFound, "b"},
		{"fork onto itself", second(s.Fork("a", "a")), ErrExists, "a"},
		{"delete absent", s.Delete("b"), ErrNotFound, "b"},
		{"undelete absent", s.Undelete(t.Context(), "b"), ErrNotFound, "b"},
		{"up", s.Create(SessionMetadata{ID: "../x"}), nil, "begins with"},
		{"up to load", second(s.Load("x/../../a")), nil, "contains"},
		{"empty", s.AppendMessage("", Message{}), nil, "is empty"},
		{"link", second(s.Load("link")), nil, "not a folder"},
		{"link to write", s.Delete("link"), nil, "not a folder"},
		{"no latest", second(s.LoadLatest("/nowhere")), ErrNotFound, "/nowhere"},
		{"not JSON", s.AppendSDKMessage("a", SDKMessage("{")), nil, "not JSON"},
		{"ambiguous", second(s.Find(t.Context(), "")), ErrNotFound, ""},
	} {
		if row.err == nil || row.want != nil && !errors.Is(row.err, row.want) || !strings.Contains(row.err.Error(), row.text) {
			t.Errorf("%s: %v", row.name, row.err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestStoreReportsAppends(t *testing.T) {
	t.Parallel()
	s := OpenStore(t.TempDir())
	if err := appendAndFlush(t, s, "none", say(1)); !errors.Is(err, ErrNotFound) {
		t.Errorf("flush: %v", err)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Errorf("told twice: %v", err)
	}
	if err := s.Close(); !errors.Is(err, ErrNotFound) {
		t.Errorf("close: %v", err)
	}
	if err := s.AppendMessage("none", say(1)); !errors.Is(err, ErrClosed) {
		t.Errorf("append to a closed store: %v", err)
	}
	if err := second(s.List()); !errors.Is(err, ErrClosed) {
		t.Errorf("list of a closed store: %v", err)
	}
	if entries, _ := os.ReadDir(s.Base()); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}
