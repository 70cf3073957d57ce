package engine_test

import (
	"testing"

	"entire/strategy/internal/enginetest"
)

// TestCallsOfATurnThatNoHookSaw: where the disk was full no hook of a turn could save
// anything. What its calls wrote is not the person's, who seems to have been alone then.
func TestCallsOfATurnThatNoHookSaw(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Prompt("s1", "write a line")
	w.Appends("s1", "t1", "f.txt", "the agent wrote this line here\n")
	w.Stop("s1")
	w.Say("s1", "user", "and another one")
	w.Appends("s1", "t2", "f.txt", "the agent wrote a second line here\n")
	w.Write("f.txt", w.Read("f.txt")+"a person wrote a third line here\n")
	w.Say("s1", "assistant", "done")
	w.Prompt("s1", "go on")
	w.Stop("s1")
	w.Git("add", "-A")
	cp := w.GitCommit("-m", "all")
	if got := w.Owners(cp, "f.txt"); got != "s1/1 ? h" {
		t.Errorf("owners %s", got)
	}
}
