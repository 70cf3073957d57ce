package rewindwalk

import (
	"math/rand/v2"
	"strings"
	"testing"

	"entire/internal/histories"
)

// rules are the lines that .gitignore may have.
var rules = []string{"*.log", "out/", "/secret", "thing", "/dir/d.txt", "!own.log"}

func (h *history) rulesOp(rng *rand.Rand) {
	var text string
	for _, rule := range rules {
		if rng.IntN(3) == 0 {
			text += rule + "\n"
		}
	}
	h.Note("   ignored: %q", text)
	h.put(".gitignore", histories.File{Mode: "644", Text: text})
}

// finish looks at what is left of it all.
func (h *history) finish() {
	reached := map[string]bool{}
	for _, id := range strings.Fields(h.git("rev-list", "--all")) {
		reached[id] = true
	}
	for _, m := range h.saved {
		if m.head == h.head && !reached[m.id] {
			histories.Fail("reach", "no ref leads to %.7s, which a rewind saved", m.id)
		}
	}
	if h.Stats["rewinds"]%8 == 1 {
		h.git("fsck", "--no-dangling", "--no-progress")
	}
}

func TestRewindWalk(t *testing.T) {
	t.Parallel()
	histories.Sort{Prefix: "REWINDWALK", Sequences: 12, Length: 16, Begin: begin, Weights: histories.Weights{
		"turn": 22, "prompt": 4, "work": 4, "stop": 5, "edit": 14, "rules": 5, "stage": 8, "stash": 1, "pop": 1, "merge-no-commit": 3,
		"commit-all": 1, "commit-tracked": 3, "commit-staged": 1, "commit-path": 1, "commit-hunk": 1, "commit-unhooked": 1, "agent-commit": 2, "amend": 2,
		"discard": 1, "branch": 1, "switch": 1, "reset": 1, "cherry-pick": 1, "revert": 1, "rebase": 1, "merge": 1, "squash": 1, "fold": 1,
		"rewind": 22, "scope": 14, "back": 5, "undo": 12, "redo": 8,
	}}.Test(t)
}
