package session

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"entire/internal/durable"
)

// earlierStore is a store as an earlier version left it: with the side files and the lock
// beside the state.
func earlierStore(t *testing.T, files ...string) (*StateStore, *State) {
	t.Helper()
	s, sid := NewStateStore(t.TempDir()), mustSession("s")
	st := &State{SessionID: sid, TranscriptPath: filepath.Join(s.path(sid, oldSideExt), "talk.jsonl")}
	if err := s.Save(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, "../s.lock") {
		putSide(t, s.path(sid, oldSideExt), name, `"old"`)
	}
	return s, st
}

func putSide(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s *StateStore) wantSide(t *testing.T, st *State, name, want string) {
	t.Helper()
	var got string
	if err := s.LoadSide(st.SessionID, name, &got); err != nil || got != want {
		t.Errorf("%s is %q, %v, want %q", name, got, err, want)
	}
}

func (s *StateStore) lockOnce(t *testing.T, st *State) {
	t.Helper()
	l, err := s.Lock(t.Context(), st.SessionID)
	if err == nil {
		err = l.Release()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSideFilesOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	s, st := earlierStore(t, "engine.json", "talk.jsonl")
	s.wantSide(t, st, "engine.json", "old")
	if got := s.Dir(st.SessionID); got != s.path(st.SessionID, oldSideExt) {
		t.Errorf("before the first lock they are in %s", got)
	}
	s.lockOnce(t, st)
	s.wantSide(t, st, "engine.json", "old")
	if entries, err := os.ReadDir(s.Root()); err != nil || len(entries) != 1 || entries[0].Name() != "s.json" {
		t.Errorf("beside the state: %v, %v", entries, err)
	}
	moved, err := s.Load(t.Context(), st.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(moved.TranscriptPath); err != nil || filepath.Dir(moved.TranscriptPath) != s.Dir(st.SessionID) {
		t.Errorf("transcript: %v", err)
	}
	if err := s.Remove(t.Context(), st.SessionID); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(s.Dir(st.SessionID)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the session's end: %v", err)
	}
}

// An earlier version was at work again, or a move was cut short: of two files the later
// one counts.
func TestSideFilesInBothPlaces(t *testing.T) {
	t.Parallel()
	s, st := earlierStore(t, "engine.json", "messages.json")
	own, old := s.ownPath(st.SessionID), s.path(st.SessionID, oldSideExt)
	putSide(t, own, "engine.json", `"new"`)
	putSide(t, own, "pace.json", `"new"`)
	putSide(t, old, "pace.json", `"later"`)
	past := time.Now().Add(-time.Hour)
	for _, path := range []string{filepath.Join(old, "engine.json"), filepath.Join(own, "pace.json")} {
		if err := os.Chtimes(path, past, past); err != nil {
			t.Fatal(err)
		}
	}
	s.wantSide(t, st, "messages.json", "old")
	for range 2 {
		s.lockOnce(t, st)
		for name, want := range map[string]string{"engine.json": "new", "messages.json": "old", "pace.json": "later"} {
			s.wantSide(t, st, name, want)
		}
	}
	if entries, err := os.ReadDir(s.Root()); err != nil || len(entries) != 1 {
		t.Errorf("beside the state: %v, %v", entries, err)
	}
}

// A process of an earlier version holds its lock while it works: nothing is moved from
// under it.
func TestEarlierVersionAtWorkIsWaitedFor(t *testing.T) {
	t.Parallel()
	s, st := earlierStore(t, "engine.json")
	theirs, err := durable.Acquire(t.Context(), s.path(st.SessionID, lockExt))
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if l, err := s.Lock(short, st.SessionID); err == nil {
		l.Release()
		t.Error("locked while an earlier version was at work")
	}
	if _, err := os.Stat(filepath.Join(s.path(st.SessionID, oldSideExt), "engine.json")); err != nil {
		t.Error(err)
	}
	if err := theirs.Release(); err != nil {
		t.Fatal(err)
	}
	s.lockOnce(t, st)
	s.wantSide(t, st, "engine.json", "old")
}
