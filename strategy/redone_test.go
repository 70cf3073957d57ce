package strategy

import (
	"strings"
	"testing"
)

func TestWorkOnWhatWasRedoneHasItsOwnCheckpoint(t *testing.T) {
	t.Parallel()
	w, cp := linked(t)
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.gitCommit("-m", "redone")
	w.wants(cp)
	w.turn("s1", "more", func() { w.Write("new.txt", "agent one\nagent two\nagent three\n") })
	next := w.gitCommit("-a", "-m", "more")
	if next == cp {
		t.Error("the checkpoint of before")
	}
	w.wants(next)
}

// A checkpoint made in mid-turn lists its files still when it is amended.
func TestAmendOfAMidTurnCommitKeepsItsFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.prompt("s1", "write")
	w.Write("one.txt", "agent one\n")
	w.edits("s1", "one.txt")
	w.Write("two.txt", "agent two\n")
	w.edits("s1", "two.txt")
	w.Git("add", "one.txt")
	w.gitCommit("-m", "first")
	w.Git("add", "two.txt")
	cp := w.gitCommit("-m", "second")
	w.turn("s1", "more", func() { w.Write("three.txt", "agent three\n") })
	w.Git("add", "-A")
	w.gitCommit("--amend", "-m", "second and third")
	w.wants(cp)
	if files := w.metadata(cp, "0/metadata.json"); !strings.Contains(files, "two.txt") || !strings.Contains(files, "three.txt") {
		t.Errorf("the slot says %s", files)
	}
}

// A person's change of mode to what was redone is nobody's work.
func TestModeOfWhatWasRedoneIsNotLinked(t *testing.T) {
	t.Parallel()
	w, cp := linked(t)
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.gitCommit("-m", "redone")
	w.wants(cp)
	w.Chmod("new.txt", 0o755)
	w.gitCommit("-a", "-m", "by hand")
	w.wants()
}
