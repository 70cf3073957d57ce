package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStoreFiles: as an agent uses it, in a folder that is no repository.
func TestStoreFiles(t *testing.T) {
	t.Parallel()
	s, work := testStore(t), t.TempDir()
	must(t, s.Create(SessionMetadata{ID: "a", CWD: work}))
	file := filepath.Join(work, "main.go")
	must(t, os.WriteFile(file, []byte("one\n"), 0o644))
	sayAll(t, s, "a", 1, 1)
	must(t, s.CreateCheckpoint("a", "m1", []string{"main.go", filepath.Join(work, "new.go")}))
	must(t, os.WriteFile(file, []byte("two\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(work, "new.go"), []byte("new\n"), 0o644))
	list, err := s.Checkpoints(t.Context(), "a")
	if err != nil || len(list) != 1 || list[0].CheckpointID != "m1" || len(list[0].Files) != 2 {
		t.Errorf("checkpoints %+v, %v", list, err)
	}
	r, err := s.RewindFiles("a", "m1", false)
	if err != nil || !r.CanRewind || strings.Join(r.FilesChanged, " ") != "main.go new.go" || r.Insertions != 1 || r.Deletions != 2 {
		t.Errorf("rewind %+v, %v", r, err)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "one\n" {
		t.Errorf("file %q, %v", data, err)
	}
	if entries, err := os.ReadDir(work); err != nil || len(entries) != 1 {
		t.Errorf("folder %v, %v", entries, err)
	}
}

func TestStoreFilesErrors(t *testing.T) {
	t.Parallel()
	s, work := testStore(t), t.TempDir()
	must(t, s.Create(SessionMetadata{ID: "nowhere"}))
	must(t, s.Create(SessionMetadata{ID: "gone", CWD: filepath.Join(work, "gone")}))
	must(t, s.Create(SessionMetadata{ID: "a", CWD: work}))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, row := range []struct {
		name, id string
		ctx      context.Context
		is       error
		says     string
	}{
		{"no such session", "none", t.Context(), ErrNotFound, ""},
		{"a path for an id", "../a", t.Context(), nil, "session id"},
		{"no folder", "nowhere", t.Context(), nil, "names no folder"},
		{"a folder that is gone", "gone", t.Context(), os.ErrNotExist, ""},
		{"cancelled", "a", cancelled, context.Canceled, ""},
	} {
		r, rewindErr := s.RewindFilesContext(row.ctx, row.id, "m1", false)
		if r == nil || r.CanRewind || rewindErr != nil && r.Error != rewindErr.Error() {
			t.Errorf("%s: result %+v, %v", row.name, r, rewindErr)
		}
		for call, err := range map[string]error{
			"create": s.CreateCheckpointContext(row.ctx, row.id, "m1", []string{"f"}),
			"rewind": rewindErr,
		} {
			if err == nil || row.is != nil && !errors.Is(err, row.is) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("%s: %s: %v", row.name, call, err)
			}
		}
	}
	if entries, err := os.ReadDir(s.Base()); err != nil || len(entries) != 3 {
		t.Errorf("sessions were made: %v, %v", entries, err)
	}
	must(t, s.Delete("a"))
	if err := s.CreateCheckpoint("a", "m1", nil); !errors.Is(err, ErrNotFound) {
		t.Errorf("checkpoint of a deleted session: %v", err)
	}
}
