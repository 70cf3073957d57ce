package rewindwalk

import (
	"maps"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// run does the operations in a folder of their own and returns what went wrong.
func run(ops []op) (h *history, failed *failure) {
	dir, err := os.MkdirTemp("", "rewindwalk-")
	if err != nil {
		return nil, &failure{"setup", err.Error()}
	}
	defer os.RemoveAll(dir)
	if h, err = newHistory(dir); err != nil {
		return &history{}, &failure{"setup", err.Error()}
	}
	at := ""
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			r.text = at + ": " + r.text
			failed = &r
			if keep != "" {
				_ = os.RemoveAll(keep)
				_ = os.CopyFS(keep, os.DirFS(dir))
			}
		default:
			panic(r)
		}
	}()
	for i, o := range ops {
		at = o.String()
		h.note("-- %d %s", i+1, o)
		kindOf(o.kind).do(h, o.rng())
	}
	at = "at the end"
	h.finish()
	return
}

// finish looks at what is left of it all.
func (h *history) finish() {
	reached := map[string]bool{}
	for _, id := range strings.Fields(h.git("rev-list", "--all")) {
		reached[id] = true
	}
	for _, m := range h.saved {
		if m.head == h.head && !reached[m.id] {
			h.fail("reach", "no ref leads to %.7s, which a rewind saved", m.id)
		}
	}
	if h.stats["rewinds"]%8 == 1 {
		h.git("fsck", "--no-dangling", "--no-progress")
	}
}

func TestRewindWalk(t *testing.T) {
	t.Parallel()
	if replay != "" {
		ops, err := parseOps(replay)
		if err != nil {
			t.Fatal(err)
		}
		h, failed := run(ops)
		t.Log("\n" + strings.Join(h.trace, "\n"))
		if failed != nil {
			t.Fatalf("%s: %s", failed.class, failed.text)
		}
		return
	}
	total, start := map[string]int{}, time.Now()
	var guard sync.Mutex
	t.Run("sequences", func(t *testing.T) {
		for i := range sequences {
			t.Run(strconv.Itoa(seed+i), func(t *testing.T) {
				t.Parallel()
				if time.Since(start) > limit {
					return
				}
				ops := opsOf(length, uint64(seed+i))
				h, failed := run(ops)
				guard.Lock()
				for k, v := range maps.All(h.stats) {
					total[k] += v
				}
				total["histories"]++
				guard.Unlock()
				if failed != nil {
					report(t, ops, h, *failed)
				}
			})
		}
	})
	t.Logf("%v: %v", time.Since(start).Round(time.Second), total)
}

// report shows the shortest list of operations found that fails alike.
func report(t *testing.T, ops []op, h *history, first failure) {
	t.Helper()
	start, last, trace := time.Now(), first, h.trace
	same := func(less []op) bool {
		h, f := run(less)
		if f == nil || f.class != first.class {
			return false
		}
		last, trace = *f, h.trace
		return true
	}
	least := shortest(ops, same, func() bool { return time.Since(start) < shrinking })
	t.Errorf("%s: %s\n(first seen: %s)\nREWINDWALK_REPLAY=%q\n%s", last.class, last.text, first.text, show(least), strings.Join(trace, "\n"))
}
