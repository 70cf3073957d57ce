package session

import (
	"errors"
	"path/filepath"
	"testing"

	"entire/internal/testrepo"
)

// TestConformance runs on every SessionStore: what a store says, and what it
// keeps, if it keeps anything.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		keeps bool
		dir   func(*testing.T) string
	}{
		{"store in a git repository", true, func(t *testing.T) string { return testrepo.New(t).Dir }},
		{"store in a folder", true, (*testing.T).TempDir},
		{"no store", false, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var store SessionStore = NoOpSessionStore{}
			dir := "/nowhere"
			if row.keeps {
				dir = row.dir(t)
				store = OpenStore(filepath.Join(t.TempDir(), "sessions"))
			}
			conform(t, store, dir, row.keeps)
		})
	}
}

func conform(t *testing.T, store SessionStore, dir string, keeps bool) {
	must(t, store.Create(SessionMetadata{ID: "a", CWD: dir, Model: "m"}))
	sayAll(t, store, "a", 1, 4)
	must(t, store.AppendSDKMessage("a", SDKMessage(`{"type":"system"}`)))
	must(t, store.UpdateMetadata("a", func(m *SessionMetadata) { m.TurnCount = 2 }))

	loaded, err := store.Load("a")
	must(t, err)
	if loaded.Metadata.ID != "a" || keeps && (uuids(loaded.Messages) != "m1 m2 m3 m4" || loaded.Metadata.TurnCount != 2) {
		t.Errorf("loaded %+v", loaded)
	}
	if latest, err := store.LoadLatest(dir); err != nil || keeps && latest.Metadata.ID != "a" {
		t.Errorf("latest %+v, %v", latest, err)
	}
	if list, err := store.LoadMessagesUpTo("a", "m2"); err != nil || keeps && uuids(list) != "m1 m2" {
		t.Errorf("up to m2: %v, %v", list, err)
	}
	fork, err := store.Fork("a", "b")
	must(t, err)
	if fork.Metadata.ID != "b" || fork.Metadata.ParentID != "a" {
		t.Errorf("fork %+v", fork)
	}
	must(t, fork.AppendAndSave(say(5)))
	conformFiles(t, store, keeps)
	restored, err := Restore(t.Context(), store, RestoreOptions{Continue: true, CWD: dir, Fork: true, NewID: "c", ResumeAt: "m1"})
	if err != nil || restored.Metadata.ID != "c" || keeps && uuids(restored.Messages) != "m1" {
		t.Errorf("restored %+v, %v", restored, err)
	}
	list, err := store.List()
	if err != nil || keeps != (len(list) == 3) || !keeps && len(list) != 0 {
		t.Errorf("listed %v, %v", list, err)
	}
	must(t, store.Delete("a"))
	if _, err := store.Load("a"); keeps && !errors.Is(err, ErrNotFound) || !keeps && err != nil {
		t.Errorf("load what was deleted: %v", err)
	}
	if keeps {
		wantSaid(t, store, "b", "m1 m2 m3 m4 m5")
	}
	must(t, store.Close())
}

func conformFiles(t *testing.T, store SessionStore, keeps bool) {
	must(t, store.CreateCheckpoint("a", "m1", []string{"new.txt"}))
	result, err := store.RewindFiles("a", "m1", true)
	if err != nil || result == nil || result.CanRewind != keeps {
		t.Errorf("rewind %+v, %v", result, err)
	}
}
