package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"entire/session/internal/queue"
)

// TestQueueFull holds the session's lock, so that nothing can be written: the
// queue fills, an append waits as long as its context lets it, and nothing that
// was accepted is lost.
func TestQueueFull(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	_, _, l, err := s.queue.Lock("a")
	must(t, err)
	accepted := 0
	for ; err == nil; accepted++ {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // of each, as only the last one waits
		err = s.AppendMessageContext(ctx, "a", say(accepted))
		cancel()
	}
	accepted--
	if !errors.Is(err, context.DeadlineExceeded) || accepted < queue.Length || accepted > 3*queue.Length {
		t.Errorf("%d were accepted, then %v", accepted, err)
	}
	must(t, l.Release())
	list, err := s.LoadMessages("a")
	must(t, err)
	for i, m := range list {
		if m.UUID != say(i).UUID {
			t.Fatalf("message %d is %s", i, m.UUID)
		}
	}
	if len(list) != accepted {
		t.Errorf("%d of %d messages", len(list), accepted)
	}
}

// TestAppendDoesNotWait: a caller is not kept by a lock that somebody holds.
func TestAppendDoesNotWait(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	_, _, l, err := s.queue.Lock("a")
	must(t, err)
	sayAll(t, s, "a", 1, 100)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("flushed what is not written: %v", err)
	}
	must(t, l.Release())
	must(t, s.Flush(t.Context()))
}

// TestBatchStaysTogether appends batches from many goroutines.
func TestBatchStaysTogether(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				b := Batch{Messages: []Message{say(1), say(2), say(3)}, SDK: []SDKMessage{SDKMessage("1")}, Raw: []byte("2\n3")}
				if err := s.AppendBatch(t.Context(), "a", b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	wantSaid(t, s, "a", strings.TrimSpace(strings.Repeat("m1 m2 m3 ", 160)))
	wantStream(t, s, "a", strings.Split(strings.TrimSpace(strings.Repeat("1 2 3 ", 160)), " ")...)
	if err := s.AppendBatch(t.Context(), "none", Batch{}); err != nil {
		t.Errorf("an empty batch: %v", err)
	}
}

// TestManySessionsAtOnce writes to several sessions through one store.
func TestManySessionsAtOnce(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	for _, sid := range []string{"a", "b", "c"} {
		must(t, s.Create(SessionMetadata{ID: sid}))
	}
	for n := 1; n <= 9; n++ {
		for _, sid := range []string{"a", "gone", "b", "c"} {
			if err := s.AppendMessage(sid, say(n)); err != nil && !errors.Is(err, ErrNotFound) {
				t.Error(err)
			}
		}
	}
	if err := s.Flush(t.Context()); err != nil && !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	for _, sid := range []string{"a", "b", "c"} {
		wantSaid(t, s, sid, "m1 m2 m3 m4 m5 m6 m7 m8 m9")
	}
	if err := s.Close(); !errors.Is(err, ErrNotFound) {
		t.Errorf("what is lost is not said: %v", err)
	}
	s.queue.Fault = queue.Faults{} // said
}

// appendAndFlush returns what either call reports: the writer may be so quick that the append
// already reports that its own write failed.
func appendAndFlush(t *testing.T, s *Store, sid string, m Message) error {
	t.Helper()
	err := s.AppendMessage(sid, m)
	if err != nil && !errors.Is(err, ErrAccepted) {
		t.Fatal(err)
	}
	return errors.Join(err, s.Flush(t.Context()))
}

func TestDeletedWhileWriting(t *testing.T) {
	t.Parallel()
	one := testStore(t)
	two := OpenStore(one.Base(), WithSync(false))
	must(t, one.Create(SessionMetadata{ID: "a"}))
	sayAll(t, one, "a", 1, 2)
	must(t, one.Flush(t.Context()))
	must(t, two.Delete("a"))
	if err := appendAndFlush(t, one, "a", say(3)); !errors.Is(err, ErrNotFound) {
		t.Errorf("flush: %v", err)
	}
	if _, err := os.Stat(one.Dir("a")); err == nil {
		t.Error("the folder is there again")
	}
	must(t, two.Undelete(t.Context(), "a"))
	wantSaid(t, two, "a", "m1 m2")
	must(t, two.Close())
	one.Close()
	one.queue.Fault = queue.Faults{}
}

func TestTrash(t *testing.T) {
	t.Parallel()
	now := aDay
	s := testStore(t, WithClock(func() time.Time { return now }))
	for n := 1; n <= 2; n++ {
		must(t, s.Create(SessionMetadata{ID: "a"}))
		sayAll(t, s, "a", n, n)
		must(t, s.Delete("a"))
	}
	now = now.Add(time.Hour)
	must(t, s.Create(SessionMetadata{ID: "b.1"}))
	must(t, s.Delete("b.1"))
	list, err := s.Trash(t.Context())
	must(t, err)
	if len(list) != 3 || list[0].Metadata.ID != "b.1" || !list[0].DeletedAt.Equal(now) || list[1].Metadata.LastMessage != "m2" {
		t.Errorf("trash %+v", list)
	}
	must(t, s.Undelete(t.Context(), "a"))
	wantSaid(t, s, "a", "m2") // the one deleted last
	if err := s.Undelete(t.Context(), "a"); !errors.Is(err, ErrExists) {
		t.Errorf("undeleted onto a session: %v", err)
	}
	must(t, s.Delete("a"))
	if left, err := os.ReadDir(filepath.Join(filepath.Dir(s.Base()), "trash")); err != nil || len(left) != 3 {
		t.Errorf("trash holds %v, %v", left, err)
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	for _, sid := range []string{"old", "new"} {
		must(t, s.Create(SessionMetadata{ID: sid, CWD: "/w"}))
		sayAll(t, s, sid, 1, 3)
	}
	sayAll(t, s, "new", 4, 4)
	for _, row := range []struct {
		name, id, want string
		o              RestoreOptions
	}{
		{"continue", "new", "m1 m2 m3 m4", RestoreOptions{Continue: true, CWD: "/w"}},
		{"continue at", "new", "m1 m2", RestoreOptions{Continue: true, CWD: "/w", ResumeAt: "m2"}},
		{"continue in a new one", "n1", "m1 m2 m3 m4", RestoreOptions{Continue: true, CWD: "/w", NewID: "n1"}},
		{"resume", "old", "m1 m2 m3", RestoreOptions{Resume: "old", Continue: true}},
		{"resume at", "old", "m1", RestoreOptions{Resume: "old", ResumeAt: "m1"}},
		{"fork", "n2", "m1 m2 m3", RestoreOptions{Resume: "old", Fork: true, NewID: "n2"}},
		{"fork at", "n3", "m1 m2", RestoreOptions{Resume: "old", ResumeAt: "m2", Fork: true, NewID: "n3"}},
		{"nothing", "", "", RestoreOptions{}},
		{"a fork without a name", "", "", RestoreOptions{Resume: "old", Fork: true}},
		{"nothing there", "", "", RestoreOptions{Continue: true, CWD: "/elsewhere"}},
	} {
		got, err := Restore(t.Context(), s, row.o)
		if row.id == "" {
			if err == nil {
				t.Errorf("%s: %+v", row.name, got)
			}
			continue
		}
		if err != nil || got.Metadata.ID != row.id || uuids(got.Messages) != row.want {
			t.Errorf("%s: %+v, %v", row.name, got, err)
			continue
		}
		if got.Metadata.ID[0] == 'n' && got.Metadata.ID != "new" {
			must(t, got.AppendAndSave(say(9)))
			wantSaid(t, s, row.id, row.want+" m9")
			must(t, s.Delete(row.id))
		}
	}
}

func TestSave(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a", CWD: "/w"}))
	loaded, err := s.Load("a")
	must(t, err)
	loaded.Messages = append(loaded.Messages, say(1), say(2))
	loaded.Metadata.ExitReason, loaded.Metadata.TurnCount = "end_turn", 1
	must(t, loaded.Save())
	must(t, loaded.Save())
	must(t, loaded.AppendAndSave(say(3)))
	loaded.Messages = append(loaded.Messages, say(4))
	must(t, loaded.Save())
	again, err := s.Load("a")
	must(t, err)
	if uuids(again.Messages) != "m1 m2 m3 m4" || again.Metadata.ExitReason != "end_turn" || again.Metadata.TurnCount != 1 ||
		again.Metadata.MessageCount != 4 || again.Metadata.TotalTokens != 22 || loaded.Metadata.MessageCount != 4 {
		t.Errorf("saved %+v", again)
	}
}

func TestNewStore(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	s := NewStore(dir)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	must(t, s.Close())
	if !strings.HasPrefix(s.Base(), filepath.Join(data, "entire", "projects")) || filepath.Base(s.Base()) != "sessions" {
		t.Errorf("base %s", s.Base())
	}
	moved := dir + "-moved"
	must(t, os.Rename(dir, moved))
	store, err := Open(moved)
	must(t, err)
	if list, err := store.List(); err != nil || len(list) != 1 {
		t.Errorf("after the folder was renamed: %v, %v", list, err)
	}
	must(t, store.Close())
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "")
	broken := NewStore(dir)
	if err := broken.Create(SessionMetadata{ID: "a"}); err == nil || !strings.Contains(err.Error(), "XDG_DATA_HOME") {
		t.Errorf("without a home: %v", err)
	}
	must(t, broken.Close())
	if err := OpenStore("relative").Create(SessionMetadata{ID: "a"}); err == nil {
		t.Error("a relative base was taken")
	}
}
