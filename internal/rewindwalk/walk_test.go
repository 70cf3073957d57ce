package rewindwalk

import (
	"os"
	"strings"
	"testing"
)

// run does the operations in a folder of their own and returns what went wrong.
func run(ops []op) (h *history, failed *failure) {
	dir, err := os.MkdirTemp("", "rewindwalk-")
	if err != nil {
		return &history{}, &failure{"setup", err.Error()}
	}
	defer os.RemoveAll(dir)
	if h, err = newHistory(dir); err != nil {
		return &history{}, &failure{"setup", err.Error()}
	}
	at := ""
	defer func() { failed = failureIn(recover(), at, dir) }()
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
	walk{
		variable: "REWINDWALK_REPLAY", replay: replay, sequences: sequences, seed: seed,
		known: func(name string) bool { return kindOf(name) != nil },
		ops:   func(seed uint64) []op { return opsOf(length, seed) },
		run:   run,
	}.test(t)
}
