package autocommit_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/strategy/internal/enginetest"
)

// TestAutoCommitKilled kills the process at a turn's end at random moments. The
// next event finishes what it was about; every turn is committed once and
// linked, and what the person had staged is still staged.
func TestAutoCommitKilled(t *testing.T) {
	t.Parallel()
	const turns = 12
	w := enginetest.NewAuto(t, enginetest.SourceFiles())
	w.Write("mine.txt", "staged\n")
	w.Git("add", "mine.txt")
	began := time.Now()
	w.Turn("s1", "turn 0", func() { w.Write("f", "0\n") })
	whole := time.Since(began)
	for i := 1; i <= turns; i++ {
		w.Prompt("s1", "turn "+strconv.Itoa(i))
		w.Write("f", strconv.Itoa(i)+"\n")
		w.Say("s1", "assistant", "done")
		cmd := w.Process(agent.TurnEnd, "s1", "")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(whole))))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	w.Prompt("s1", "last")
	w.Stop("s1")

	subjects := w.Subjects()
	trailers := map[string]bool{}
	for _, cp := range strings.Fields(w.Git("log", "--format=%(trailers:key=Entire-Checkpoint,valueonly)")) {
		if trailers[cp] {
			t.Errorf("checkpoint %s is in two commits", cp)
		}
		trailers[cp] = true
		w.Metadata(cp, "0/metadata.json")
	}
	for i := range turns + 1 {
		if got := strings.Count("\n"+subjects+"\n", "\nTurn "+strconv.Itoa(i)+"\n"); got != 1 {
			t.Errorf("turn %d is in %d commits:\n%s", i, got, w.Git("log", "-p", "--format=== %s", "--", "f"))
		}
	}
	if got := w.GitStatus(); got != "A  mine.txt" {
		t.Errorf("git status: %q", got)
	}
	if got := w.Problems(); got != "" {
		t.Errorf("status: %q", got)
	}
	w.Fsck()
}
