package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"entire/session/internal/conversation"
	"entire/session/internal/layout"
)

// The tests called TestChecklist… are the verification checklist of the document
// this package was made from, a line each, in its order; those of the files
// stand in files_test.go.

func TestChecklistSessionCRUD(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	for n, sid := range []string{"first", "second", "third"} {
		must(t, s.Create(SessionMetadata{ID: sid, CWD: "/w", Model: "m", UpdatedAt: aDay.AddDate(0, 0, n)}))
	}
	sayAll(t, s, "second", 1, 2)
	loaded, err := s.Load("second")
	if err != nil || loaded.Metadata.ID != "second" || loaded.Metadata.CWD != "/w" || uuids(loaded.Messages) != "m1 m2" {
		t.Errorf("loaded %+v, %v", loaded, err)
	}
	wantListed(t, s, "third second first") // the last updated first
	must(t, s.Delete("third"))
	wantListed(t, s, "second first")
	if _, err := s.Load("third"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a deleted session loads: %v", err)
	}
}

func wantListed(t *testing.T, s SessionStore, want string) {
	t.Helper()
	list, err := s.List()
	var got []string
	for _, meta := range list {
		got = append(got, meta.ID)
	}
	if err != nil || strings.Join(got, " ") != want {
		t.Errorf("listed %s, %v; want %s", got, err, want)
	}
}

func TestChecklistContinueMode(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	for n, cwd := range []string{"/here", "/here", "/there"} {
		must(t, s.Create(SessionMetadata{ID: fmt.Sprintf("s%d", n), CWD: cwd, UpdatedAt: aDay.AddDate(0, 0, n-10)}))
	}
	latest, err := s.LoadLatest("/here/")
	if err != nil || latest.Metadata.ID != "s1" {
		t.Errorf("latest %+v, %v", latest, err)
	}
	sayAll(t, s, "s0", 1, 1) // now it is the last one spoken in
	if latest, err = s.LoadLatest("/here"); err != nil || latest.Metadata.ID != "s0" || uuids(latest.Messages) != "m1" {
		t.Errorf("latest %+v, %v", latest, err)
	}
	must(t, latest.AppendAndSave(say(2)))
	wantSaid(t, s, "s0", "m1 m2")
}

func TestChecklistResumeMode(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	sayAll(t, s, "a", 1, 3)
	resumed, err := s.Resume("a", "")
	if err != nil || resumed.Metadata.ID != "a" || uuids(resumed.Messages) != "m1 m2 m3" {
		t.Fatalf("resumed %+v, %v", resumed, err)
	}
	must(t, resumed.AppendAndSave(say(4)))
	wantSaid(t, s, "a", "m1 m2 m3 m4")
}

func TestChecklistResumeAt(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	sayAll(t, s, "a", 1, 5)
	for n, want := range []string{"m1", "m1 m2", "m1 m2 m3", "m1 m2 m3 m4", "m1 m2 m3 m4 m5"} {
		at := fmt.Sprintf("m%d", n+1)
		resumed, err := s.Resume("a", at)
		if err != nil || uuids(resumed.Messages) != want {
			t.Errorf("resumed at %s: %+v, %v", at, resumed, err)
		}
		if err := resumed.AppendAndSave(say(6)); (n < 4) != errors.Is(err, ErrNotAtEnd) {
			t.Errorf("gone on from %s: %v", at, err)
		}
	}
	if _, err := s.Resume("a", "m99"); !errors.Is(err, ErrNoMessage) {
		t.Errorf("resumed at no message: %v", err)
	}
}

func TestChecklistFork(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a", CWD: "/w", Model: "m", ExitReason: "end_turn"}))
	sayAll(t, s, "a", 1, 3)
	fork, err := s.Fork("a", "b")
	if err != nil || fork.Metadata.ID != "b" || fork.Metadata.ParentID != "a" || fork.Metadata.ForkPoint != "m3" ||
		fork.Metadata.CWD != "/w" || fork.Metadata.ExitReason != "" || uuids(fork.Messages) != "m1 m2 m3" {
		t.Fatalf("fork %+v, %v", fork, err)
	}
	sayAll(t, s, "a", 4, 4)
	sayAll(t, s, "b", 5, 5)
	wantSaid(t, s, "a", "m1 m2 m3 m4")
	wantSaid(t, s, "b", "m1 m2 m3 m5")
}

func TestChecklistJSONLFormat(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	m := say(1)
	m.Content = "two\nlines"
	must(t, s.AppendMessage("a", m))
	must(t, s.Flush(t.Context()))
	path := filepath.Join(s.Dir("a"), layout.MessagesName)
	before, err := os.ReadFile(path)
	must(t, err)
	sayAll(t, s, "a", 2, 3)
	must(t, s.Flush(t.Context()))
	after, err := os.ReadFile(path)
	must(t, err)
	if !strings.HasPrefix(string(after), string(before)) || strings.Count(string(after), "\n") != 3 {
		t.Errorf("before %q, after %q", before, after)
	}
	must(t, os.WriteFile(path, after[:len(after)-5], 0o600)) // partly written
	wantSaid(t, s, "a", "m1 m2")
	sayAll(t, s, "a", 4, 4)
	wantSaid(t, s, "a", "m1 m2 m4")
}

func TestChecklistConcurrentSafety(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "s"}))
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			if err := talk(io.Discard, s, "s", fmt.Sprintf("g-%d", g), 200, 50); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	c := &company{t: t, sid: "s"}
	said := c.read(s)
	for speaker, n := range said {
		if n != 200 {
			t.Errorf("%s said %d", speaker, n)
		}
	}
	if len(said) != 8 {
		t.Errorf("%d speakers", len(said))
	}
}

func TestChecklistPersistFlag(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := Open(dir, WithPersist(false))
	must(t, err)
	must(t, store.Create(SessionMetadata{ID: "a", CWD: dir}))
	sayAll(t, store, "a", 1, 3)
	must(t, store.AppendSDKMessage("a", SDKMessage(`{}`)))
	must(t, store.CreateCheckpoint("a", "m1", []string{"f"}))
	loaded, err := store.Load("a")
	must(t, err)
	must(t, loaded.AppendAndSave(say(4)))
	must(t, loaded.Save())
	must(t, store.Close())
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("written: %v, %v", entries, err)
	}
}

func TestChecklistTranscriptStorage(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	records := []string{`{"type":"system","n":1.0}`, `{ "type" : "user" }`, `[1,2]`, `"text"`}
	for _, r := range records {
		must(t, s.AppendSDKMessage("a", SDKMessage(r)))
	}
	must(t, s.AppendSDKMessage("a", SDKMessage("{\n\"b\":\n2}")))
	must(t, s.AppendBatch(t.Context(), "a", Batch{Raw: []byte("not JSON\r\n{\"c\":3}")}))
	w, err := s.Writer(t.Context(), "a")
	must(t, err)
	must(t, w.Append([]byte(`{"d":4}`)))
	if err := w.Append([]byte("a\nb")); err == nil {
		t.Error("a record of two lines was taken")
	}
	must(t, w.Close())
	if err := w.Append(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("append to a closed writer: %v", err)
	}
	want := append(records, `{ "b": 2}`, "not JSON\r", `{"c":3}`, `{"d":4}`)
	wantStream(t, s, "a", want...)
	must(t, second(s.Fork("a", "b")))
	must(t, s.AppendSDKMessage("b", SDKMessage(`{"e":5}`)))
	must(t, s.Delete("a"))
	wantStream(t, s, "b", append(want, `{"e":5}`)...)
}

func wantStream(t *testing.T, s *Store, sid string, want ...string) {
	t.Helper()
	var got []string
	for m, err := range s.SDKMessages(t.Context(), sid) {
		must(t, err)
		got = append(got, string(m))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("stream of %s: %q, want %q", sid, got, want)
	}
}

// TestChecklistLargeSessions streams 100,000 messages, and the memory it takes
// does not grow with them.
func TestChecklistLargeSessions(t *testing.T) {
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	var block []byte
	for n := range 1000 {
		m := say(n)
		m.Content = strings.Repeat("content ", 30)
		block, _ = conversation.AppendLine(block, &m)
	}
	f, err := os.Create(filepath.Join(s.Dir("a"), layout.MessagesName))
	must(t, err)
	for range 100 {
		must(t, second(f.Write(block)))
	}
	must(t, f.Close())
	n, most := 0, uint64(0)
	before := heap()
	for _, err := range s.Messages(t.Context(), "a") {
		must(t, err)
		if n++; n%10_000 == 0 {
			most = max(most, heap())
		}
	}
	meta, err := s.Metadata(t.Context(), "a")
	must(t, err)
	if n != 100_000 || meta.MessageCount != n {
		t.Errorf("%d messages, %d counted", n, meta.MessageCount)
	}
	if grown := int64(most) - int64(before); grown > 2<<20 {
		t.Errorf("the heap grew by %d bytes for a session of %d", grown, 100*len(block))
	}
}

// heap is how many bytes are reachable.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
