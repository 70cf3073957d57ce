package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"entire/internal/durable"
	"entire/session/internal/index"
	"entire/session/internal/layout"
)

// manyStore returns a store of many old sessions, whose folder has not just changed, that keeps its listings.
func manyStore(t *testing.T) *StateStore {
	t.Helper()
	s := NewStateStore(t.TempDir())
	for i := range manyStates + 4 {
		writeState(t, s, fmt.Sprintf("s%04d", i), i)
	}
	s.KeepListings(time.Now, time.Hour)
	quiet(t, s)
	return s
}

// writeState writes a state as another tool does: whole, under a fixed name, then by rename.
func writeState(t *testing.T, s *StateStore, sid string, count int) {
	t.Helper()
	path := s.path(mustSession(sid), layout.StateExt)
	must(t, os.MkdirAll(s.dir, 0o750))
	must(t, os.WriteFile(path+".tmp", stateText(sid, count), 0o600))
	must(t, os.Rename(path+".tmp", path))
}

func stateText(sid string, count int) []byte {
	return fmt.Appendf(nil, `{"session_id":%q,"base_commit":"c","checkpoint_count":%d,"phase":"idle"}`, sid, count)
}

// quiet waits until a listing of the folder can be kept.
func quiet(t *testing.T, s *StateStore) {
	t.Helper()
	dir, err := layout.StampOf(s.dir)
	must(t, err)
	if dir.Ctime == 0 {
		t.Skip("this system has no change times, and no listing is kept")
	}
	for {
		now, err := durable.Clock(filepath.Dir(s.index))
		must(t, err)
		if now.Add(-2*index.RacyWindow).UnixNano() > max(dir.Mtime, dir.Ctime) {
			return
		}
		time.Sleep(index.RacyWindow)
	}
}

// again returns the store as another process opens it.
func again(s *StateStore) *StateStore {
	n := NewStateStore(filepath.Dir(s.dir))
	n.KeepListings(s.now, s.within)
	return n
}

func counts(t *testing.T, s *StateStore) map[string]int {
	t.Helper()
	sums, err := s.Summaries(t.Context())
	must(t, err)
	out := map[string]int{}
	for _, sum := range sums {
		out[sum.ID.String()] = sum.CheckpointCount
	}
	return out
}

// usesListing reports whether the next Summaries answers with a listing: a state that is changed in place shows it.
func usesListing(t *testing.T, s *StateStore) bool {
	t.Helper()
	path := s.path(mustSession("s0000"), layout.StateExt)
	old, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, stateText("s0000", 777777), 0o600))
	got := counts(t, s)["s0000"]
	must(t, os.WriteFile(path, old, 0o600))
	return got != 777777
}

func TestRecentListingIsUsed(t *testing.T) {
	t.Parallel()
	s := manyStore(t)
	checkSummaries(t, s)
	for name, s := range map[string]*StateStore{"same process": s, "another process": again(s)} {
		checkSummaries(t, s)
		if !usesListing(t, s) {
			t.Errorf("%s: looked at every state", name)
		}
	}
	if usesListing(t, NewStateStore(filepath.Dir(s.dir))) {
		t.Error("a listing was used where none was wanted")
	}
	old := again(s)
	old.KeepListings(func() time.Time { return time.Now().Add(time.Hour) }, time.Hour)
	if usesListing(t, old) {
		t.Error("a listing that is too old was used")
	}
}

// TestRecentListingSeesEveryReplacement: whoever makes, replaces or removes a state is seen at once.
func TestRecentListingSeesEveryReplacement(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, s *StateStore){
		"another tool replaces one": func(t *testing.T, s *StateStore) { writeState(t, s, "s0007", 99) },
		"and so twice": func(t *testing.T, s *StateStore) {
			writeState(t, s, "s0007", 98) // its inode may get the number of the first
			writeState(t, s, "s0007", 99)
		},
		"we replace one": func(t *testing.T, s *StateStore) {
			must(t, again(s).Save(t.Context(), &State{SessionID: mustSession("s0007"), CheckpointCount: 99}))
		},
		"one is new":     func(t *testing.T, s *StateStore) { writeState(t, s, "new", 1) },
		"one is gone":    func(t *testing.T, s *StateStore) { must(t, os.Remove(s.path(mustSession("s0003"), layout.StateExt))) },
		"all are gone":   func(t *testing.T, s *StateStore) { must(t, os.RemoveAll(s.dir)) },
		"another folder": func(t *testing.T, s *StateStore) { must(t, os.RemoveAll(s.dir)); writeState(t, s, "new", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := manyStore(t)
			checkSummaries(t, s)
			change(t, s)
			checkSummaries(t, again(s))
			checkSummaries(t, s)
			quietIfThere(t, s)
			checkSummaries(t, s)
			checkSummaries(t, again(s))
		})
	}
}

func quietIfThere(t *testing.T, s *StateStore) {
	t.Helper()
	if _, err := os.Stat(s.dir); err == nil {
		quiet(t, s)
	}
}

// TestRecentListingDiffersFromIndex: what changed since the index was written is in the file of the listing.
func TestRecentListingDiffersFromIndex(t *testing.T) {
	t.Parallel()
	s := manyStore(t)
	checkSummaries(t, s) // writes the index
	writeState(t, s, "s0005", 55)
	writeState(t, s, "s0005a", 56)
	must(t, os.WriteFile(s.path(mustSession("s0009"), layout.StateExt), []byte("no state"), 0o600))
	must(t, os.Remove(s.path(mustSession("s0006"), layout.StateExt)))
	quiet(t, s)
	before, err := os.ReadFile(s.index)
	must(t, err)
	checkSummaries(t, s)
	next := again(s)
	checkSummaries(t, next)
	if !usesListing(t, next) {
		t.Error("the listing was not used")
	}
	if after, err := os.ReadFile(s.index); err != nil || !bytes.Equal(before, after) {
		t.Fatalf("the index was written again (%v): nothing was to be seen", err)
	}
}

// TestRecentListingInDoubt: a listing that is damaged, missing, of another index or from the future is not used.
func TestRecentListingInDoubt(t *testing.T) {
	t.Parallel()
	s := manyStore(t)
	checkSummaries(t, s)
	good, err := os.ReadFile(s.recentPath())
	must(t, err)
	goodIndex, err := os.ReadFile(s.index)
	must(t, err)
	flipped := bytes.Clone(good)
	flipped[len(flipped)-3] ^= 1
	l := listing{at: time.Now().Add(time.Hour)}
	l.dir, err = layout.StampOf(s.dir)
	must(t, err)
	l.sum = index.Sum(goodIndex, indexMagic)
	future, _ := l.encode(nil)
	for name, doubt := range map[string]func(){
		"missing":       func() { must(t, os.Remove(s.recentPath())) },
		"empty":         func() { must(t, os.WriteFile(s.recentPath(), nil, 0o600)) },
		"cut":           func() { must(t, os.WriteFile(s.recentPath(), good[:len(good)-1], 0o600)) },
		"flipped":       func() { must(t, os.WriteFile(s.recentPath(), flipped, 0o600)) },
		"from later":    func() { must(t, os.WriteFile(s.recentPath(), future, 0o600)) },
		"an index":      func() { must(t, os.WriteFile(s.recentPath(), goodIndex, 0o600)) },
		"without index": func() { must(t, os.Remove(s.index)) },
		"another index": func() { must(t, os.WriteFile(s.index, encodeIndex(1, nil), 0o600)) },
		"torn index":    func() { must(t, os.WriteFile(s.index, goodIndex[:len(goodIndex)/2], 0o600)) },
	} {
		must(t, os.WriteFile(s.recentPath(), good, 0o600))
		must(t, os.WriteFile(s.index, goodIndex, 0o600))
		if !usesListing(t, again(s)) {
			t.Fatal("the listing is not used")
		}
		doubt()
		if usesListing(t, again(s)) {
			t.Errorf("%s: the listing was used", name)
		}
	}
}

func TestRecentListingNotKept(t *testing.T) {
	t.Parallel()
	missing := func(name string, s *StateStore) {
		t.Helper()
		checkSummaries(t, s)
		if _, err := os.Lstat(s.recentPath()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a listing is kept: %v", name, err)
		}
	}
	few := NewStateStore(t.TempDir())
	few.KeepListings(time.Now, time.Hour)
	writeState(t, few, "s0000", 1)
	quiet(t, few)
	missing("few states", few)
	just := manyStore(t)
	later := time.Now().Add(time.Hour)
	must(t, os.Chtimes(just.dir, later, later))
	missing("a folder that has just changed", just)
	exact := manyStore(t)
	exact.KeepListings(nil, 0)
	missing("where none is wanted", exact)
}

// TestRecentListingWithoutRoom: where no listing can be written, nothing else changes.
func TestRecentListingWithoutRoom(t *testing.T) {
	t.Parallel()
	s := manyStore(t)
	must(t, os.MkdirAll(filepath.Join(s.recentPath(), "x"), 0o750))
	checkSummaries(t, s)
	checkSummaries(t, again(s))
}

// TestRecentListingTogether: several processes list while others write; in the end each sees all.
func TestRecentListingTogether(t *testing.T) {
	t.Parallel()
	s := manyStore(t)
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			own := again(s)
			for i := range 20 {
				sid := fmt.Sprintf("s%04d", (n*50+i)%manyStates)
				if err := own.Save(t.Context(), &State{SessionID: mustSession(sid), CheckpointCount: 1000 + i}); err != nil {
					t.Error(err)
				}
				if sums, err := own.Summaries(t.Context()); err != nil || len(sums) != manyStates+4 {
					t.Errorf("%d sessions, %v", len(sums), err)
				} else if got := sums[(n*50+i)%manyStates].CheckpointCount; got != 1000+i {
					t.Errorf("%s has %d, want %d", sid, got, 1000+i)
				}
			}
		})
	}
	all.Wait()
	checkSummaries(t, s)
	quiet(t, s)
	checkSummaries(t, s)
	checkSummaries(t, again(s))
}

// TestListingRemovesLeftovers: what a killed writer left in the folder of the states goes when a hook lists them.
func TestListingRemovesLeftovers(t *testing.T) {
	t.Parallel()
	s := oldStore(t, 2)
	left, fresh := filepath.Join(s.dir, "s00.json.tmp-entire-12"), filepath.Join(s.dir, "s01.json.tmp-entire-34")
	for _, path := range []string{left, fresh} {
		must(t, os.WriteFile(path, []byte("half"), 0o600))
	}
	old := time.Now().Add(-2 * time.Hour)
	must(t, os.Chtimes(left, old, old))
	must(t, s.Save(t.Context(), &State{SessionID: mustSession("s00")}))
	checkSummaries(t, s)
	if _, err := os.Lstat(left); err != nil {
		t.Errorf("a command has removed a leftover: %v", err)
	}
	s.KeepListings(time.Now, time.Hour)
	checkSummaries(t, s)
	if _, err := os.Lstat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the leftover is still there: %v", err)
	}
	if _, err := os.Lstat(fresh); err != nil {
		t.Errorf("a file that may still be written was removed: %v", err)
	}
}

func TestSummariesAreTheCallers(t *testing.T) {
	t.Parallel()
	s := manyStore(t)
	first, err := s.Summaries(t.Context())
	must(t, err)
	want := append([]Summary(nil), first...)
	clear(first)
	if got, err := s.Summaries(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("a caller changed what the next one gets: %v", err)
	}
}
