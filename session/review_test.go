package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/session/internal/index"
	"entire/session/internal/layout"
	"entire/session/internal/trash"
)

// TestTrashLongNames: an ID may be as long as the name of a folder, which leaves
// no room for the time of its deletion.
func TestTrashLongNames(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	for _, sid := range []string{
		strings.Repeat("a", 255), strings.Repeat("a", 254) + "b", strings.Repeat("a", trash.TrashedName),
		strings.Repeat("a", trash.TrashedName-1) + "_", strings.Repeat("a", trash.TrashedName-1) + "_b",
	} {
		must(t, s.Create(SessionMetadata{ID: sid}))
		sayAll(t, s, sid, 1, 1)
		must(t, s.Delete(sid))
	}
	list, err := s.Trash(t.Context())
	must(t, err)
	if len(list) != 5 {
		t.Fatalf("%d in the trash", len(list))
	}
	for _, gone := range list {
		must(t, s.Undelete(t.Context(), gone.Metadata.ID))
		wantSaid(t, s, gone.Metadata.ID, "m1")
	}
	if list, err = s.Trash(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%d are still in the trash, %v", len(list), err)
	}
}

// TestDeleteSaysWhyNot: where the trash cannot be looked at, nothing is tried
// for ever.
func TestDeleteSaysWhyNot(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	must(t, os.WriteFile(s.queue.Trash(), nil, 0o600))
	if err := s.Delete("a"); err == nil {
		t.Error("deleted to a file")
	}
	wantSaid(t, s, "a", "")
}

// TestListForgivesUnreadable: what could not be read once is looked at again,
// though its metadata.json did not change.
func TestListForgivesUnreadable(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	for i := range 2 * index.RewriteAbove {
		must(t, s.Create(SessionMetadata{ID: fmt.Sprintf("s%03d", i)}))
	}
	path := filepath.Join(s.Dir("s003"), layout.BaseName)
	must(t, os.WriteFile(path, []byte("not now"), 0o600))
	must(t, os.WriteFile(filepath.Join(s.Dir("s003"), layout.MetadataName), []byte(`{"id":"s003","title":"kept"}`), 0o600))
	time.Sleep(2 * index.RacyWindow)
	if got := ids(t, s); len(got) != 2*index.RewriteAbove-1 {
		t.Fatalf("with one unreadable: %v", got)
	}
	must(t, os.Remove(path))
	if got := ids(t, s); len(got) != 2*index.RewriteAbove {
		t.Errorf("readable again, and not listed: %v", got)
	}
}

// TestListOfUnreadableFolder: a session whose folder cannot be entered is left
// out; the others are there.
func TestListOfUnreadableFolder(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	dir, err := os.Open(s.Base())
	must(t, err)
	defer dir.Close()
	list := []index.ListEntry{{Name: "a"}, {Name: "x" + strings.Repeat("y", 300)}} // ENAMETOOLONG
	index.StampAll(dir, list)
	if !list[0].Stamp.Regular || list[1].Stamp.Regular {
		t.Errorf("%+v", list)
	}
}

func TestListCancelledWithin(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	sayAll(t, s, "a", 1, 3)
	must(t, s.Flush(t.Context()))
	must(t, os.WriteFile(filepath.Join(s.Dir("a"), layout.MetadataName), []byte(`{"id":"a"}`), 0o600))
	ctx := &countdown{t.Context(), 1}
	found, err := index.ReadListed(ctx, s.queue.Base, []index.ListEntry{{Name: "a"}}, []int{0})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while it read: %+v, %v", found, err)
	}
}

// countdown is a context that is done when it has been asked n times.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestLoadLatestThroughLink: a folder is the same whatever name it is given.
func TestLoadLatestThroughLink(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	top := t.TempDir()
	real, link := filepath.Join(top, "real"), filepath.Join(top, "link")
	must(t, os.Mkdir(real, 0o750))
	must(t, os.Symlink(real, link))
	must(t, s.Create(SessionMetadata{ID: "a", CWD: real, UpdatedAt: aDay}))
	must(t, s.Create(SessionMetadata{ID: "b", CWD: filepath.Join(top, "other"), UpdatedAt: aDay.Add(2)}))
	for _, cwd := range []string{real, link, real + "/", link + "/../link"} {
		if got, err := s.LoadLatest(cwd); err != nil || got.Metadata.ID != "a" {
			t.Errorf("in %s: %+v, %v", cwd, got, err)
		}
	}
	must(t, s.Create(SessionMetadata{ID: "c", CWD: link, UpdatedAt: aDay.Add(1)}))
	if got, err := s.LoadLatest(real); err != nil || got.Metadata.ID != "c" {
		t.Errorf("the last of the folder: %+v, %v", got, err)
	}
	if got, err := s.LoadLatest(filepath.Join(top, "gone")); !errors.Is(err, ErrNotFound) {
		t.Errorf("in a folder that is not there: %+v, %v", got, err)
	}
	if got, err := s.LoadLatest(filepath.Join(top, "other")); err != nil || got.Metadata.ID != "b" {
		t.Errorf("in a folder that is gone: %+v, %v", got, err)
	}
}

// wrapped is a SessionStore that is no *Store.
type wrapped struct{ SessionStore }

func TestForkInAnyStoreCountsOnce(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	sayAll(t, s, "a", 1, 4)
	must(t, s.UpdateMetadata("a", func(m *SessionMetadata) { m.EndedAt, m.ExitReason = &aDay, "end_turn" }))
	got, err := Restore(t.Context(), wrapped{s}, RestoreOptions{Resume: "a", ResumeAt: "m2", Fork: true, NewID: "b"})
	must(t, err)
	m := got.Metadata
	if m.TotalTokens != 11 || *m.Usage != (agent.TokenUsage{InputTokens: 10, OutputTokens: 1}) || m.MessageCount != 2 {
		t.Errorf("%d tokens, %+v, %d messages", m.TotalTokens, m.Usage, m.MessageCount)
	}
	if m.ParentID != "a" || m.ForkPoint != "m2" || m.EndedAt != nil || m.ExitReason != "" {
		t.Errorf("%+v", m)
	}
}

// TestMetadataKeysAreExact: a key that differs in case is unknown, is kept, and
// does not speak for the known one.
func TestMetadataKeysAreExact(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	path := filepath.Join(s.Dir("a"), layout.MetadataName)
	must(t, os.WriteFile(path, []byte(`{"session_id":"a","title":"mine","Title":"theirs","ID":"z"}`), 0o600))
	meta, err := s.Metadata(t.Context(), "a")
	if err != nil || meta.Title != "mine" {
		t.Errorf("%+v, %v", meta, err)
	}
	must(t, s.UpdateMetadata("a", func(m *SessionMetadata) { m.Title = "new" }))
	meta, err = s.Metadata(t.Context(), "a")
	if err != nil || meta.Title != "new" {
		t.Errorf("after an update: %+v, %v", meta, err)
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), `"Title": "theirs"`) {
		t.Errorf("%s, %v", data, err)
	}
}

// TestDocumentIsNoLink: a transcript that is a link leads nowhere.
func TestDocumentIsNoLink(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	outside := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(outside, []byte(`"secret"`), 0o600))
	must(t, os.Symlink(outside, filepath.Join(s.Dir("a"), layout.DocumentName)))
	for doc, err := range s.SDKMessages(t.Context(), "a") {
		if err == nil {
			t.Errorf("read %s through a link", doc)
		}
	}
}

// TestNamesWithHash: what only looks like the name of a piece is none.
func TestNamesWithHash(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	for _, uuid := range []string{"x", "x#2", "x#3", "x#note", "y#1", "y#1#2"} {
		must(t, s.AppendMessage("a", Message{UUID: uuid, Role: agent.RoleUser, Content: uuid}))
		if conversation.RecordUUID(uuid) == uuid {
			must(t, s.AppendSDKMessage("a", SDKMessage(fmt.Sprintf(`{"uuid":%q}`, uuid))))
		}
	}
	for at, want := range map[string]string{"x": "x x#2 x#3", "x#2": "x x#2", "x#note": "x x#2 x#3 x#note", "y#1": "x x#2 x#3 x#note y#1 y#1#2"} {
		list, err := s.LoadMessagesUpTo("a", at)
		if err != nil || uuids(list) != want {
			t.Errorf("up to %s: %s, %v; want %s", at, uuids(list), err, want)
		}
	}
	must(t, second(s.ForkAt(t.Context(), "a", "b", "y#1")))
	wantStream(t, s, "b", `{"uuid":"x"}`, `{"uuid":"x#note"}`, `{"uuid":"y#1"}`)
}
