package rewindwalk

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A walk runs random histories of one sort.
type walk struct {
	variable        string // of the environment, which replays
	replay          string // the operations to replay, "" for random ones
	sequences, seed int
	known           func(kind string) bool
	ops             func(seed uint64) []op
	run             func([]op) (*history, *failure)
}

func (w walk) test(t *testing.T) {
	t.Helper()
	if w.replay != "" {
		ops, err := parseOps(w.replay, w.known)
		if err != nil {
			t.Fatal(err)
		}
		h, failed := w.run(ops)
		t.Log("\n" + strings.Join(h.trace, "\n"))
		if failed != nil {
			t.Fatalf("%s: %s", failed.class, failed.text)
		}
		return
	}
	total, start := map[string]int{}, time.Now()
	var guard sync.Mutex
	t.Run("sequences", func(t *testing.T) {
		for i := range w.sequences {
			t.Run(strconv.Itoa(w.seed+i), func(t *testing.T) {
				t.Parallel()
				if time.Since(start) > limit {
					return
				}
				ops := w.ops(uint64(w.seed + i))
				h, failed := w.run(ops)
				guard.Lock()
				for k, v := range h.stats {
					total[k] += v
				}
				total["histories"]++
				if failed == nil {
					total["histories that passed"]++
				}
				guard.Unlock()
				if failed != nil {
					w.report(t, ops, h, *failed)
				}
			})
		}
	})
	t.Logf("%v: %v", time.Since(start).Round(time.Second), total)
}

// report shows the shortest list of operations found that fails alike.
func (w walk) report(t *testing.T, ops []op, h *history, first failure) {
	t.Helper()
	start, last, trace := time.Now(), first, h.trace
	same := func(less []op) bool {
		h, f := w.run(less)
		if f == nil || f.class != first.class {
			return false
		}
		last, trace = *f, h.trace
		return true
	}
	least := shortest(ops, same, func() bool { return time.Since(start) < shrinking })
	t.Errorf("%s: %s\n(first seen: %s)\n%s=%q\n%s", last.class, last.text, first.text, w.variable, show(least), strings.Join(trace, "\n"))
}

// failureIn returns the failure that a panic has, nil for none, and keeps the folder of the failed history if the
// environment asks for it. at is the operation.
func failureIn(panicked any, at, dir string) *failure {
	if panicked == nil {
		return nil
	}
	f, ok := panicked.(failure)
	if !ok {
		panic(panicked)
	}
	f.text = at + ": " + f.text
	if keep != "" {
		_ = os.RemoveAll(keep)
		_ = os.CopyFS(keep, os.DirFS(dir))
	}
	return &f
}
