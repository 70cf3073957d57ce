package summarize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entire/id"
)

func checkpointNo(n int) id.CheckpointID { return id.MustCheckpointID(fmt.Sprintf("%012x", n+1)) }

func enqueue(t *testing.T, dir string, n int) {
	t.Helper()
	if err := Enqueue(dir, Job{Checkpoint: checkpointNo(n)}, time.Unix(1000, int64(n))); err != nil {
		t.Error(err)
	}
}

func TestDrain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for n := range 3 {
		enqueue(t, dir, n)
	}
	if err := os.WriteFile(filepath.Join(queueDir(dir), "0-rubbish.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	var done []string
	for range 2 { // the second time there is nothing to do
		err := Drain(t.Context(), dir, func(_ context.Context, j Job) {
			done = append(done, j.Checkpoint.String())
			if len(done) == 1 {
				enqueue(t, dir, 3) // while it works
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"000000000001", "000000000002", "000000000003", "000000000004"}
	if !slices.Equal(done, want) {
		t.Errorf("done %v, want %v", done, want)
	}
	if left, _ := os.ReadDir(queueDir(dir)); len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
}

// TestDrainOneAtATime: many come with a job each; every job is done once, never
// two together, whoever it is that does it.
func TestDrainOneAtATime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const callers = 20
	var mu sync.Mutex
	var at, most int
	times := map[string]int{}
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() {
			enqueue(t, dir, n)
			err := Drain(t.Context(), dir, func(_ context.Context, j Job) {
				mu.Lock()
				at++
				most = max(most, at)
				times[j.Checkpoint.String()]++
				mu.Unlock()
				time.Sleep(time.Millisecond)
				mu.Lock()
				at--
				mu.Unlock()
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most != 1 || len(times) != callers {
		t.Errorf("%d at once, %d of %d done", most, len(times), callers)
	}
	for cp, n := range times {
		if n != 1 {
			t.Errorf("%s was done %d times", cp, n)
		}
	}
}

func TestDrainKeepsWhatWasCancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	enqueue(t, dir, 0)
	ctx, cancel := context.WithCancel(t.Context())
	if err := Drain(ctx, dir, func(context.Context, Job) { cancel() }); err != nil {
		t.Fatal(err)
	}
	names, err := jobNames(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("%v, %v", names, err)
	}
}

func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for n := range maxQueue {
		enqueue(t, dir, n)
	}
	if err := Enqueue(dir, Job{Checkpoint: checkpointNo(99)}, time.Unix(2000, 0)); !errors.Is(err, errQueueFull) {
		t.Errorf("error %v", err)
	}
}

func TestDetachedEnviron(t *testing.T) {
	t.Parallel()
	got := detachedEnviron([]string{"A=1", "GIT_INDEX_FILE=/tmp/i", "GIT_DIR=.git", "GIT_PREFIX=x/", "GIT_CONFIG_GLOBAL=/g", "GIT_AUTHOR_DATE=1"})
	if want := "A=1 GIT_DIR=.git GIT_CONFIG_GLOBAL=/g"; strings.Join(got, " ") != want {
		t.Errorf("environment %q, want %q", got, want)
	}
}
