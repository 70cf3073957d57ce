package link_test

import (
	"strings"
	"testing"

	"entire/strategy/internal/enginetest"
)

func TestCherryPickThroughAConflictNamesItsCheckpointOnce(t *testing.T) {
	t.Parallel()
	w, cp := enginetest.Linked(t)
	w.Git("switch", "-q", "-c", "other", "HEAD~1")
	w.Write("a.txt", "by hand\n")
	w.GitCommit("-a", "-m", "a person's")
	w.Wants()
	if _, err := w.TryGit("cherry-pick", "main"); err == nil {
		t.Fatal("no conflict")
	}
	w.Write("a.txt", "by hand\nagent in a\n")
	w.Git("add", "-A")
	w.Git("cherry-pick", "--continue")
	w.Wants(cp)
	if msg := w.Git("log", "-1", "--format=%B"); strings.Count(msg, cp) != 1 {
		t.Errorf("message %q", msg)
	}
}

// A file that a person removed holds nothing of the session any more, though a later
// turn has found it so.
func TestRemovedByAPersonIsNotLinked(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Turn("s1", "write", func() {
		w.Write("a.txt", w.Read("a.txt")+"agent\n")
		w.Write("new.txt", "agent\n")
	})
	w.Remove("a.txt")
	w.Turn("s2", "look", func() {})
	w.Git("add", "a.txt")
	w.GitCommit("-m", "by hand")
	w.Wants()
	w.Git("add", "new.txt")
	cp := w.GitCommit("-m", "the agent's")
	w.Wants(cp)
}

// A file that the session removed is its work, whoever's lines were in it.
func TestRemovedByTheSessionIsLinked(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Write("a.txt", w.Read("a.txt")+"a person's\n")
	w.Turn("s1", "remove", func() { w.Remove("a.txt") })
	w.Turn("s2", "look", func() {})
	w.Git("add", "a.txt")
	cp := w.GitCommit("-m", "without it")
	if cp == "" {
		t.Error("not linked")
	}
	w.Wants(cp)
}

// A commit of one part of a file, the lines that a session took out, is its work; one
// that takes out others, or has a person's lines instead, is not.
func TestPartThatOnlyTakesLinesOut(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, staged string
		linked       bool
	}{
		{"what the session took out", "one\ntwo\nthree\nfour\nsix\nseven\neight\nnine\n", true},
		{"that, and a person's line elsewhere", "one\ntwo\nthree\nfour\nsix\nseven\neight\nnine\na person's\n", true},
		{"other lines", "one\ntwo\nthree\nfour\nfive\nsix\neight\nnine\n", false},
		{"a person's line in its place", "one\ntwo\nthree\nfour\na person's\nsix\nseven\neight\nnine\n", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			w.Turn("s1", "write", func() { w.Write("a.txt", "agent\none\ntwo\nthree\nfour\nsix\nseven\neight\nnine\n") })
			all := w.Read("a.txt")
			w.Write("a.txt", tc.staged)
			w.Git("add", "a.txt")
			w.Write("a.txt", all)
			if cp := w.GitCommit("-m", "a part"); (cp != "") != tc.linked {
				t.Errorf("linked: %q", cp)
			}
		})
	}
}
