package strategy

import (
	"strings"
	"testing"
)

func TestCherryPickThroughAConflictNamesItsCheckpointOnce(t *testing.T) {
	t.Parallel()
	w, cp := linked(t)
	w.Git("switch", "-q", "-c", "other", "HEAD~1")
	w.Write("a.txt", "by hand\n")
	w.gitCommit("-a", "-m", "a person's")
	w.wants()
	if _, err := w.TryGit("cherry-pick", "main"); err == nil {
		t.Fatal("no conflict")
	}
	w.Write("a.txt", "by hand\nagent in a\n")
	w.Git("add", "-A")
	w.Git("cherry-pick", "--continue")
	w.wants(cp)
	if msg := w.Git("log", "-1", "--format=%B"); strings.Count(msg, cp) != 1 {
		t.Errorf("message %q", msg)
	}
}

// A file that a person removed holds nothing of the session any more, though a later
// turn has found it so.
func TestRemovedByAPersonIsNotLinked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.turn("s1", "write", func() {
		w.Write("a.txt", w.Read("a.txt")+"agent\n")
		w.Write("new.txt", "agent\n")
	})
	w.Remove("a.txt")
	w.turn("s2", "look", func() {})
	w.Git("add", "a.txt")
	w.gitCommit("-m", "by hand")
	w.wants()
	w.Git("add", "new.txt")
	cp := w.gitCommit("-m", "the agent's")
	w.wants(cp)
}

// A file that the session removed is its work, whoever's lines were in it.
func TestRemovedByTheSessionIsLinked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Write("a.txt", w.Read("a.txt")+"a person's\n")
	w.turn("s1", "remove", func() { w.Remove("a.txt") })
	w.turn("s2", "look", func() {})
	w.Git("add", "a.txt")
	cp := w.gitCommit("-m", "without it")
	if cp == "" {
		t.Error("not linked")
	}
	w.wants(cp)
}
