package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"entire/internal/retention"
	"entire/session/internal/index"
	"entire/session/internal/layout"
	"entire/session/internal/trash"
)

// cleanOnce does what `entire sessions clean` does in one store.
func cleanOnce(ctx context.Context, s *Store, p retention.Policy, grace time.Duration) (taken []string, _ error) {
	all, err := s.Candidates(ctx, "p", nil)
	if err != nil {
		return nil, err
	}
	of, plain := map[string]Candidate{}, []retention.Session{}
	for _, c := range all {
		of[c.ID] = c
		plain = append(plain, c.Session)
	}
	for _, t := range retention.Choose(p, s.queue.Now(), plain).Removals {
		err := s.TrashUnused(ctx, of[t.ID], nil)
		switch {
		case err == nil:
			taken = append(taken, t.ID)
		case !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrUsed):
			return taken, err
		}
	}
	_, err = s.ExpireTrash(ctx, grace)
	return taken, err
}

// TestRetentionProperty: at whatever times sessions are begun, used, forked, cleaned
// and brought back, by a clock that jumps in both directions and comes back, nothing
// younger than the policy is taken, and whatever was taken comes back byte for byte
// while, by the clock that was right, its grace lasts.
func TestRetentionProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		must(t, err)
		w := &keeper{T: t, clock: aDay, is: map[string][2]time.Time{}, trash: map[string]time.Time{}, files: map[string]map[string]string{}}
		w.s = OpenStore(filepath.Join(dir, "p", "sessions"), WithSync(false), WithClock(func() time.Time { return w.clock.Add(w.skew) }))
		defer w.s.Close()
		w.policy = retention.Policy{OlderThan: time.Duration(rapid.IntRange(0, 40).Draw(rt, "older")) * 24 * time.Hour,
			Inactive: time.Duration(rapid.IntRange(0, 20).Draw(rt, "inactive")) * 24 * time.Hour}
		rt.Repeat(map[string]func(*rapid.T){
			"begin": w.begin,
			"use":   w.use,
			"fork":  w.fork,
			"pass": func(rt *rapid.T) {
				w.clock = w.clock.Add(time.Duration(rapid.IntRange(1, 400).Draw(rt, "hours")) * time.Hour)
			},
			"clean":   func(*rapid.T) { w.clean(rt, 0) },
			"wrong":   w.wrong,
			"restore": w.restore,
		})
	})
}

// keeper is a store and what is known of it.
type keeper struct {
	*testing.T
	s      *Store
	clock  time.Time     // that is right
	skew   time.Duration // of the clock that the store reads
	policy retention.Policy
	is     map[string][2]time.Time // begun and used
	trash  map[string]time.Time    // when it was taken
	files  map[string]map[string]string
	made   int
}

const keptFor = 30 * 24 * time.Hour

func (w *keeper) begin(rt *rapid.T) {
	w.made++
	sid := fmt.Sprint("s", w.made)
	begun := w.clock.Add(-time.Duration(rapid.IntRange(-500, 1000).Draw(rt, "hours ago")) * time.Hour)
	must(w.T, w.s.Create(SessionMetadata{ID: sid, CreatedAt: begun, UpdatedAt: begun}))
	w.is[sid] = [2]time.Time{begun, begun}
}

func (w *keeper) use(rt *rapid.T) {
	if sid, ok := w.any(rt, slices.Sorted(maps.Keys(w.is))); ok {
		m := say(1)
		w.made++
		m.UUID, m.Timestamp = fmt.Sprint("m", w.made), w.clock
		must(w.T, w.s.AppendBatch(w.Context(), sid, Batch{Messages: []Message{m}, Raw: []byte(`{"n":1}`)}))
		must(w.T, w.s.Flush(w.Context()))
		if was := w.is[sid]; w.clock.After(was[1]) {
			w.is[sid] = [2]time.Time{was[0], w.clock}
		}
	}
}

func (w *keeper) fork(rt *rapid.T) {
	if sid, ok := w.any(rt, slices.Sorted(maps.Keys(w.is))); ok {
		w.made++
		child := fmt.Sprint("f", w.made)
		_, err := w.s.Fork(sid, child)
		must(w.T, err)
		w.is[child] = [2]time.Time{w.clock, w.clock}
	}
}

func (w *keeper) any(rt *rapid.T, of []string) (string, bool) {
	if len(of) == 0 {
		return "", false
	}
	return rapid.SampledFrom(of).Draw(rt, "which"), true
}

// wrong is a clean-up while the clock is wrong for a moment. One that is wrong at two
// looks in a row, a day or more apart, is believed: see [retention.Expire].
func (w *keeper) wrong(rt *rapid.T) {
	w.clean(rt, time.Duration(rapid.IntRange(-20000, 200000).Draw(rt, "skew"))*time.Hour)
	w.clean(rt, 0)
}

func (w *keeper) clean(rt *rapid.T, skew time.Duration) {
	before := map[string]map[string]string{}
	for sid := range w.is {
		before[sid] = bytesIn(w.T, w.s.Dir(sid))
	}
	w.skew = skew
	now := w.clock.Add(skew)
	taken, err := cleanOnce(w.Context(), w.s, w.policy, keptFor)
	w.skew = 0
	must(w.T, err)
	for _, sid := range taken {
		is := w.is[sid]
		aged := w.policy.OlderThan > 0 && now.Sub(is[0]) > w.policy.OlderThan && now.Sub(is[1]) >= retention.Fresh
		idle := w.policy.Inactive > 0 && now.Sub(is[1]) > w.policy.Inactive
		if !aged && !idle {
			rt.Fatalf("%s, begun %v and used %v, is taken at %v by %v", sid, is[0], is[1], now, w.policy)
		}
		w.trash[sid], w.files[sid] = w.clock, before[sid]
		if skew < 0 { // the grace counts from what the clock said
			w.trash[sid] = now
		}
		delete(w.is, sid)
	}
}

// restore brings something back whose grace is not over.
func (w *keeper) restore(rt *rapid.T) {
	var due []string
	for sid, at := range w.trash {
		if w.clock.Sub(at) <= keptFor {
			due = append(due, sid)
		}
	}
	slices.Sort(due)
	sid, ok := w.any(rt, due)
	if !ok {
		return
	}
	must(w.T, w.s.Undelete(w.Context(), sid))
	got := bytesIn(w.T, w.s.Dir(sid))
	for name, was := range w.files[sid] { // a fork has the first bytes of its parent's files, which grow
		if strings.HasPrefix(name, "base-") && strings.HasPrefix(got[name], was) {
			got[name] = was
		}
	}
	if !maps.Equal(got, w.files[sid]) {
		rt.Fatalf("%s came back as %v, and was %v", sid, got, w.files[sid])
	}
	w.is[sid] = [2]time.Time{w.clock, w.clock} // its life begins anew
	delete(w.trash, sid)
	w.clean(rt, 0)
	if _, taken := w.trash[sid]; taken {
		rt.Fatalf("%s came back, and was taken at once", sid)
	}
}

// bytesIn are the files below a folder but for the lock.
func bytesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := tree(t, dir)
	rel := map[string]string{}
	for path, text := range out {
		if name, err := filepath.Rel(dir, path); err == nil && name != layout.SessionLock {
			rel[name] = text
		}
	}
	return rel
}

// cleaner is a process that cleans a store over and over.
func cleaner(base, kept string) error {
	grace, err := strconv.Atoi(kept)
	if err != nil {
		return err
	}
	s := OpenStore(base, WithSync(false))
	defer s.Close()
	for {
		taken, err := cleanOnce(context.Background(), s, retention.Policy{Inactive: 48 * time.Hour}, time.Duration(grace))
		if err != nil {
			return err
		}
		if len(taken) == 0 {
			return nil
		}
	}
}

// TestCleanersTogether: of several clean-ups at once, some of them killed, every
// session that is due is in the trash exactly once, whole, and all others stand.
func TestCleanersTogether(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "p", "sessions")
	s := OpenStore(base, WithSync(false))
	want := map[string]map[string]string{}
	for n := range 60 {
		sid, at := fmt.Sprintf("old%02d", n), time.Now().Add(-30*24*time.Hour)
		if n%3 == 0 {
			sid, at = fmt.Sprintf("new%02d", n), time.Now()
		}
		must(t, s.Create(SessionMetadata{ID: sid, CreatedAt: at, UpdatedAt: at}))
		m := say(1)
		m.Timestamp = at
		must(t, s.AppendMessage(sid, m))
	}
	must(t, s.Close())
	entries, err := os.ReadDir(base)
	must(t, err)
	for _, e := range entries {
		if e.Name()[0] != '.' && e.IsDir() {
			want[e.Name()] = bytesIn(t, filepath.Join(base, e.Name()))
		}
	}
	binary, err := os.Executable()
	must(t, err)
	var running []*exec.Cmd
	for n := range 5 {
		cmd := exec.Command(binary, "clean", base, strconv.Itoa(int(keptFor)))
		cmd.Stderr = os.Stderr
		must(t, cmd.Start())
		if n < 2 {
			time.AfterFunc(time.Duration(5+20*n)*time.Millisecond, func() { cmd.Process.Kill() })
		}
		running = append(running, cmd)
	}
	for n, cmd := range running {
		if err := cmd.Wait(); err != nil && n >= 2 {
			t.Errorf("cleaner %d: %v", n, err)
		}
	}
	s = OpenStore(base, WithSync(false))
	defer s.Close()
	list, err := s.List()
	if err != nil || len(list) != 20 {
		t.Errorf("%d sessions stay, %v", len(list), err)
	}
	deleted, err := s.Trash(t.Context())
	if err != nil || len(deleted) != 40 {
		t.Errorf("%d are in the trash, %v", len(deleted), err)
	}
	for _, d := range deleted {
		if got := bytesIn(t, trashedFolder(s, d)); !maps.Equal(got, want[d.Metadata.ID]) {
			t.Errorf("%s in the trash is %v, want %v", d.Metadata.ID, got, want[d.Metadata.ID])
		}
	}
}

// TestTakeSeesUse: a session that is used, or brought back, between the look and the
// taking stays.
func TestTakeSeesUse(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a", CreatedAt: aDay, UpdatedAt: aDay}))
	all, err := s.Candidates(t.Context(), "p", nil)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	sayAll(t, s, "a", 1, 1)
	if err := s.TrashUnused(t.Context(), all[0], nil); !errors.Is(err, ErrUsed) {
		t.Errorf("after a message: %v", err)
	}
	all, err = s.Candidates(t.Context(), "p", nil)
	must(t, err)
	must(t, s.Delete("a"))
	must(t, s.Undelete(t.Context(), "a"))
	if err := s.TrashUnused(t.Context(), all[0], nil); !errors.Is(err, ErrUsed) {
		t.Errorf("after it was brought back: %v", err)
	}
	all, err = s.Candidates(t.Context(), "p", nil)
	must(t, err)
	no := errors.New("held")
	if err := s.TrashUnused(t.Context(), all[0], func() error { return no }); !errors.Is(err, no) {
		t.Errorf("held: %v", err)
	}
	must(t, s.TrashUnused(t.Context(), all[0], nil))
}

// TestEmptyTrash: what a killed clean-up left half removed is never brought back, and
// the next one removes it.
func TestEmptyTrash(t *testing.T) {
	t.Parallel()
	at := aDay
	s := testStore(t, WithClock(func() time.Time { return at }))
	for _, sid := range []string{"a", "b"} {
		must(t, s.Create(SessionMetadata{ID: sid, CreatedAt: aDay}))
		must(t, s.Delete(sid))
	}
	deleted, err := s.Trash(t.Context())
	must(t, err)
	half := filepath.Join(s.queue.Trash(), trash.RemovingPrefix+filepath.Base(trashedFolder(s, deleted[0])))
	must(t, os.Rename(trashedFolder(s, deleted[0]), half)) // a kill, right after it went
	if err := s.Undelete(t.Context(), deleted[0].Metadata.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("half removed: %v", err)
	}
	use, err := s.DiskUse(t.Context(), 0)
	if err != nil || use.Trash != 1 || use.Sessions != 0 || use.TrashBytes == 0 || !use.Oldest.Equal(aDay) {
		t.Errorf("use %+v, %v", use, err)
	}
	for _, row := range []struct {
		pass time.Duration
		gone int
	}{{time.Hour, 0}, {keptFor, 0}, {time.Hour, 0}, {25 * time.Hour, 1}, {time.Hour, 0}} {
		at = at.Add(row.pass)
		gone, err := s.ExpireTrash(t.Context(), keptFor)
		if err != nil || gone.Sessions != row.gone || (gone.Bytes > 0) != (row.gone > 0) {
			t.Errorf("after %v more: %+v, %v", row.pass, gone, err)
		}
		if _, err := os.Lstat(half); err == nil {
			t.Error("what was half removed is still there")
		}
	}
}

// TestDiskUse: what is measured is what is there, and only what changed is looked at.
func TestDiskUse(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	sayAll(t, s, "a", 1, 50)
	must(t, s.Flush(t.Context()))
	_, err := s.Fork("a", "b")
	must(t, err)
	use, err := s.DiskUse(t.Context(), 0)
	must(t, err)
	var want int64
	list, err := s.Candidates(t.Context(), "p", nil)
	must(t, err)
	var plain []retention.Session
	for _, c := range list {
		plain = append(plain, c.Session)
	}
	want = retention.Choose(retention.Policy{}, aDay, plain).Before
	if use.Sessions != 2 || use.Bytes < want-2 || use.Bytes > want {
		t.Errorf("%d sessions with %d bytes, want %d", use.Sessions, use.Bytes, want)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if again, err := s.DiskUse(cancelled, 0); err != nil || again.Partial || again.Bytes != use.Bytes {
		t.Errorf("from the cache %+v, %v", again, err)
	}
	must(t, os.Remove(filepath.Join(s.queue.Path, index.UseName)))
	if again, err := s.DiskUse(cancelled, 0); err != nil || !again.Partial {
		t.Errorf("without time %+v, %v", again, err)
	}
}

// trashedFolder returns the folder of a session in the trash.
func trashedFolder(s *Store, d Trashed) string {
	return filepath.Join(s.queue.Trash(), fmt.Sprintf("%s.%d", d.Metadata.ID, d.DeletedAt.UnixNano()))
}
