package session

import (
	"errors"
	"strings"
	"testing"
	"time"

	"entire/session/internal/queue"
)

// failEarlier makes the writer of s meet an error that nobody was told of: a
// message for a session that is not there.
func failEarlier(t *testing.T, s *Store, sid string) {
	t.Helper()
	for errors.Is(s.AppendMessage(sid, say(1)), ErrAccepted) {
		// The writer was so quick that this call told of its own error.
	}
	for end := time.Now().Add(time.Minute); s.queue.Pending.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing is written")
		}
	}
}

// TestEarlierErrorIsNoRefusal: a call that reports what went wrong with another
// message has accepted its own, says so, and a session does not store it again.
func TestEarlierErrorIsNoRefusal(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		add  func(*Session) error
	}{
		{"Save", func(s *Session) error {
			if len(s.Messages) == 2 {
				s.Messages = append(s.Messages, say(3))
			}
			return s.Save()
		}},
		{"AppendAndSave", func(s *Session) error {
			if len(s.Messages) == 3 {
				return s.Save()
			}
			return s.AppendAndSave(say(3))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := testStore(t)
			must(t, s.Create(SessionMetadata{ID: "a"}))
			sayAll(t, s, "a", 1, 2)
			open, err := s.Load("a")
			must(t, err)
			failEarlier(t, s, "ghost")
			if err := tc.add(open); !errors.Is(err, ErrNotFound) || !errors.Is(err, ErrAccepted) || !strings.Contains(err.Error(), "ghost") {
				t.Errorf("the earlier error: %v", err)
			}
			if uuids(open.Messages) != "m1 m2 m3" {
				t.Errorf("the session has %s", uuids(open.Messages))
			}
			must(t, tc.add(open))
			wantSaid(t, s, "a", "m1 m2 m3")
			s.Close()
			s.queue.Fault = queue.Faults{} // said
		})
	}
}

func TestEarlierErrorOfAnAppend(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	failEarlier(t, s, "ghost")
	if err := s.AppendMessage("a", say(1)); !errors.Is(err, ErrAccepted) || !errors.Is(err, ErrNotFound) {
		t.Errorf("append: %v", err)
	}
	failEarlier(t, s, "ghost")
	if err := s.UpdateMetadata("a", func(m *SessionMetadata) { m.Title = "x" }); !errors.Is(err, ErrAccepted) {
		t.Errorf("update: %v", err)
	}
	wantSaid(t, s, "a", "m1")
	if err := s.AppendMessage("..", say(1)); err == nil || errors.Is(err, ErrAccepted) {
		t.Errorf("refused: %v", err)
	}
	s.Close()
	s.queue.Fault = queue.Faults{} // said
}

// TestCloseSaysAllThatIsLost, not only what was lost first.
func TestCloseSaysAllThatIsLost(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	for _, sid := range []string{"ghost-1", "ghost-2"} {
		_ = s.AppendMessage(sid, say(1))
		_ = s.Flush(t.Context())
	}
	err := s.Close()
	for _, sid := range []string{"ghost-1", "ghost-2"} {
		if err == nil || !strings.Contains(err.Error(), sid) {
			t.Errorf("close does not name %s: %v", sid, err)
		}
	}
	s.queue.Fault = queue.Faults{} // said
}

// TestWaitSaysBothErrors: what went wrong before a call and what went wrong in it.
func TestWaitSaysBothErrors(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	failEarlier(t, s, "ghost-1")
	o, err := queue.NewOp("ghost-2", Batch{Messages: []Message{say(1)}})
	must(t, err)
	s.queue.Mu.RLock()
	s.queue.Pending.Add(1)
	s.queue.Ops <- o // an append that does not take the earlier error
	s.queue.Mu.RUnlock()
	err = s.Flush(t.Context())
	for _, sid := range []string{"ghost-1", "ghost-2"} {
		if err == nil || !strings.Contains(err.Error(), sid) {
			t.Errorf("flush does not name %s: %v", sid, err)
		}
	}
	s.Close()
	s.queue.Fault = queue.Faults{} // said
}

// TestAllThatWentWrongIsSaid where nobody asked in between, and once.
func TestAllThatWentWrongIsSaid(t *testing.T) {
	t.Parallel()
	var f queue.Faults
	for _, text := range []string{"a: full", "b: full", "a: full"} {
		f.Add(errors.New(text), false)
	}
	if got := f.TakeUnreported(); got == nil || got.Error() != "a: full; b: full" {
		t.Errorf("said %v", got)
	}
	if got := f.TakeUnreported(); got != nil {
		t.Errorf("said again: %v", got)
	}
}
