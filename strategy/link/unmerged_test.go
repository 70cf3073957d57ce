package link_test

import (
	"testing"

	"entire/strategy/internal/enginetest"
)

// TestUnmergedUnderAnotherName: git puts a file aside where a merge has a folder in
// its way. No commit has it under that name, so the step has to.
func TestUnmergedUnderAnotherName(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "first", func() { w.Write("agent.txt", "agent\n") })
	w.Git("add", "-A")
	w.CommitUnhooked("agent.txt")
	w.Git("switch", "-q", "-c", "side")
	w.Write("thing/c.txt", "side\n")
	w.Commit("side")
	w.Git("switch", "-q", "-")
	w.Write("thing", "a file\n")
	w.Commit("file")
	if _, err := w.TryGit("merge", "-q", "side"); err == nil {
		t.Fatal("the merge should conflict")
	}
	const aside = "thing~HEAD"
	if !w.Exists(aside) {
		t.Fatal("git has not put the file aside")
	}
	w.Turn("s1", "second", func() { w.Write("agent.txt", "again\n") })
	tip := w.Points()[0].ID
	if got := w.Git("show", tip+":"+aside); got != "a file" && got != "a file\n" {
		t.Errorf("the step has %q", got)
	}
	w.Remove(aside)
	w.Rewind(tip)
	if got := w.Read(aside); got != "a file\n" {
		t.Errorf("after the rewind: %q", got)
	}
}
