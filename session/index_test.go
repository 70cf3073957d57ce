package session

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"entire/session/internal/index"
	"entire/session/internal/layout"
)

// oldStore returns a store of n sessions that changed an hour ago.
func oldStore(t *testing.T, n int) *StateStore {
	t.Helper()
	s := NewStateStore(t.TempDir())
	for i := range n {
		st := sampleState()
		st.SessionID = mustSession(fmt.Sprintf("s%02d", i))
		st.CheckpointCount = i
		if i%2 == 1 {
			st = &State{SessionID: st.SessionID, CheckpointCount: i}
		}
		if err := s.Save(t.Context(), st); err != nil {
			t.Fatal(err)
		}
		age(t, s.path(st.SessionID, layout.StateExt))
	}
	time.Sleep(2 * index.RacyWindow) // ctime cannot be set back
	return s
}

func age(t *testing.T, path string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

// checkSummaries compares what the index says with the states themselves.
func checkSummaries(t *testing.T, s *StateStore) {
	t.Helper()
	states, _, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []Summary{}
	for _, st := range states {
		want = append(want, st.Summary())
	}
	got, err := s.Summaries(t.Context())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("summaries\n%+v, %v\nwant\n%+v", got, err, want)
	}
}

// stale is how many states the next Summaries will read.
func stale(t *testing.T, s *StateStore) int {
	t.Helper()
	p, err := s.scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(p.stale)
}

func TestIndex(t *testing.T) {
	t.Parallel()
	s := oldStore(t, 20)
	if got := stale(t, s); got != 20 {
		t.Errorf("%d stale without an index", got)
	}
	checkSummaries(t, s) // more than a few: writes the index
	if got := stale(t, s); got != 0 {
		t.Errorf("%d stale with an index", got)
	}
	checkSummaries(t, s)
	before, err := os.ReadFile(s.index)
	if err != nil {
		t.Fatal(err)
	}

	changed := mustSession("s05")
	if err := s.Update(t.Context(), changed, func(st *State) error { st.BaseCommit = "new"; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(t.Context(), &State{SessionID: mustSession("s05a")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), mustSession("s07")); err != nil {
		t.Fatal(err)
	}
	if got := stale(t, s); got != 2 {
		t.Errorf("%d stale after two changes", got)
	}
	checkSummaries(t, s)
	if now, err := os.ReadFile(s.index); err != nil || !bytes.Equal(now, before) {
		t.Errorf("a few changes wrote the index anew: %v", err)
	}

	time.Sleep(2 * index.RacyWindow)
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := stale(t, s); got != 0 {
		t.Errorf("%d stale after Refresh", got)
	}
	checkSummaries(t, s)
	x := s.readIndex()
	if slices.ContainsFunc(x.records, func(r record) bool { return r.stem == "s07" }) {
		t.Error("the index keeps a removed session")
	}
}

func TestIndexSeesEveryKindOfChange(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(path string) error
	}{
		{"content of the same size, time put back", func(path string) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			data = bytes.Replace(data, []byte("1111"), []byte("9999"), 1)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				return err
			}
			return os.Chtimes(path, info.ModTime(), info.ModTime())
		}},
		{"another file in its place", func(path string) error {
			other := filepath.Join(filepath.Dir(path), "s02.json")
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := os.WriteFile(other, bytes.Replace(data, []byte("1111"), []byte("9999"), 1), 0o600); err != nil {
				return err
			}
			return os.Rename(other, path)
		}},
		{"a file that is no state any more", func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) }},
		{"a link", func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Symlink("s02.json", path)
		}},
		{"gone", os.Remove},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := oldStore(t, 10)
			checkSummaries(t, s)
			if got := stale(t, s); got != 0 {
				t.Fatalf("%d stale", got)
			}
			if err := tc.change(s.path(mustSession("s00"), layout.StateExt)); err != nil {
				t.Fatal(err)
			}
			checkSummaries(t, s)
		})
	}
}

func TestIndexDistrustsTheFresh(t *testing.T) {
	t.Parallel()
	s := oldStore(t, 3)
	fresh := mustSession("s01")
	for try := 0; ; try++ {
		began := time.Now()
		if err := s.Save(t.Context(), &State{SessionID: fresh}); err != nil {
			t.Fatal(err)
		}
		if err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if time.Since(began) < index.RacyWindow || try == 100 {
			break
		} // else the machine was busy, and the file is not fresh any more
	}
	if got := stale(t, s); got != 1 {
		t.Errorf("%d of one fresh file stale", got)
	}
	future := time.Now().Add(time.Hour)
	if err := os.Chtimes(s.path(fresh, layout.StateExt), future, future); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * index.RacyWindow)
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := stale(t, s); got != 1 {
		t.Errorf("%d of one file from the future stale", got)
	}
}

func TestDamagedIndex(t *testing.T) {
	t.Parallel()
	s := oldStore(t, 12)
	checkSummaries(t, s)
	good, err := os.ReadFile(s.index)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 1
	for name, damage := range map[string][]byte{
		"empty": {}, "cut": good[:len(good)-1], "longer": append(bytes.Clone(good), 0), "flipped": flipped,
		"zeros": make([]byte, len(good)), "another version": append([]byte("entire sessions index 0\n"), good[len(indexMagic):]...),
	} {
		if err := os.WriteFile(s.index, damage, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := stale(t, s); got != 12 {
			t.Errorf("%s: %d stale, want all", name, got)
		}
		checkSummaries(t, s)
		if got := stale(t, s); got != 0 {
			t.Errorf("%s: %d stale after it was rebuilt", name, got)
		}
	}
}

func TestIndexThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := oldStore(t, 12)
	if err := os.WriteFile(filepath.Dir(s.index), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	checkSummaries(t, s)
	if err := s.Refresh(t.Context()); err == nil {
		t.Error("Refresh says nothing")
	}
}

func TestSummariesCancelled(t *testing.T) {
	t.Parallel()
	s := oldStore(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if list, err := s.Summaries(ctx); err == nil || list != nil {
		t.Errorf("got %v, %v", list, err)
	}
}

func TestSummaryTouches(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range maxSummaryFiles {
		many = append(many, fmt.Sprintf("f%02d", i))
	}
	for _, tc := range []struct {
		name  string
		files []string
		path  string
		want  bool
	}{
		{"none", nil, "a", false},
		{"one of them", []string{"a", "b"}, "b", true},
		{"none of them", []string{"a", "b"}, "c", false},
		{"part of a name", []string{"a/b"}, "a", false},
		{"as many as are named", many, "c", false},
		{"more than are named", append(many[:maxSummaryFiles:maxSummaryFiles], "g"), "c", true},
		{"a name that cannot be held", []string{"a\x00b"}, "c", true},
		{"the empty name", []string{""}, "c", false},
	} {
		got := (&State{FilesTouched: tc.files}).Summary().Touches(func(p string) bool { return p == tc.path })
		if got != tc.want {
			t.Errorf("%s: touches %q: %v, want %v", tc.name, tc.path, got, tc.want)
		}
	}
}
