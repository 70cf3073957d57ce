package turn_test

import (
	"testing"

	"entire/strategy/internal/enginetest"
)

// A turn is saved although git has lost part of a stash that was made in it.
func TestLostStash(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Prompt("s1", "write")
	w.Write("new.txt", "of one\n")
	w.Git("stash", "-q", "-u")
	w.Lose("stash^3^{tree}")
	w.Write("b.txt", "of one, too\n")
	w.Stop("s1")
	if slots := w.Slots(w.GitCommit("-a", "-m", "b")); len(slots["s1"]) != 1 {
		t.Errorf("linked to %v", slots)
	}
}
