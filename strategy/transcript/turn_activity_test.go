package transcript_test

import (
	"slices"
	"testing"

	"entire/strategy/internal/enginetest"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
)

// TestCallTurns: calls count for the turn that made them, whenever they are read.
func TestCallTurns(t *testing.T) {
	t.Parallel()
	type read struct{ last, from, turn int }
	for name, tc := range map[string]struct {
		reads []read
		want  []int
	}{
		"none":                           {[]read{{0, 0, 1}, {0, 4, 2}}, nil},
		"one in each turn":               {[]read{{3, 0, 1}, {7, 5, 2}}, []int{1, 2}},
		"read twice":                     {[]read{{3, 0, 1}, {3, 5, 2}}, []int{1}},
		"of a turn that changed nothing": {[]read{{3, 5, 2}}, []int{1}},
		"taken back, and another":        {[]read{{7, 5, 2}, {3, 5, 3}, {8, 6, 4}}, []int{2, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c sessionstate.CallTurns
			for _, r := range tc.reads {
				transcript.AddRead(&c, r.last, r.from, r.turn)
			}
			if !slices.Equal(c.Turns, tc.want) {
				t.Errorf("turns %v, want %v", c.Turns, tc.want)
			}
		})
	}
}

// TestAPersonBesideATurn: in a turn whose calls tell everything, a file that none of them
// can have written is the person's who sits beside it.
func TestAPersonBesideATurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Prompt("s1", "write one")
	w.Writes("s1", "t1", "one.txt", enginetest.Lines("agent", 3))
	w.Write("two.txt", enginetest.Lines("perhaps a person", 2))
	w.Stop("s1")
	w.Git("add", "-A")
	w.WantTold(w.CommitHooked("both"), "s1", "3/2/0/0/5")
}

// TestWorkPutAwayInTheTurn: what an agent wrote and stashed is not the person's who
// brings it back.
func TestWorkPutAwayInTheTurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Prompt("s1", "write one, and put it away")
	w.Writes("s1", "t1", "one.txt", enginetest.Lines("agent", 3))
	w.Git("stash", "push", "-q", "-u")
	w.Writes("s1", "t2", "two.txt", enginetest.Lines("agent, too", 4))
	w.Stop("s1")
	w.Git("stash", "pop", "-q")
	w.Write("three.txt", enginetest.Lines("person", 1))
	w.Git("add", "-A")
	w.WantTold(w.CommitHooked("all"), "s1", "7/1/0/0/8")
}
