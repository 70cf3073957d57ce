package strategy

import (
	"strings"
	"testing"
)

// Two sessions share a branch; the one whose turn begins first after HEAD moved
// renames it, and the other's work is still its own.
func TestSessionsFollowTogetherWhenHeadMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles()).hooked()
	w.Git("switch", "-q", "-c", "theirs")
	w.Write("theirs.txt", "theirs\n")
	w.Git("add", "-A")
	w.Git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "theirs")
	w.Git("switch", "-q", "main")
	w.turn("s2", "write", func() { w.Write("two.txt", "of two\n") })
	w.turn("s1", "write", func() { w.Write("one.txt", "of one\n") })
	w.Git("merge", "-q", "--ff-only", "theirs")
	w.turn("s1", "more", func() { w.Write("a.txt", "of one\n") })
	if got := w.state("s2").BaseCommit; got != w.Head() {
		t.Errorf("s2 stays on %s", got)
	}
	w.Git("add", "one.txt", "a.txt")
	cp := w.gitCommit("-m", "of one")
	if meta := w.metadata(cp, "metadata.json"); strings.Contains(meta, "two.txt") {
		t.Errorf("the first commit has %s", meta)
	}
	w.Git("add", "two.txt")
	if cp = w.gitCommit("-m", "of two"); cp == "" {
		t.Fatal("the other session's work is not linked")
	}
	if meta := w.metadata(cp, "0/metadata.json"); !strings.Contains(meta, `"session_id": "s2"`) {
		t.Errorf("the second commit has %s", meta)
	}
	w.nothingLeft()
}
