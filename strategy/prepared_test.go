package strategy

import (
	"slices"
	"strings"
	"testing"

	"entire/internal/git"
)

// What prepare-commit-msg found is what post-commit takes, for those two trees alone.
func TestDiffIsHandedOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sourceFiles())
	e := w.engine()
	w.turn("one", "change", func() {
		w.Write("a.txt", "one\n")
		w.Write("names/ü.txt", "new\n")
		w.Write(".entire/own.txt", "ours\n")
	})
	w.Git("add", "-A", "-f")
	w.Git("write-tree") // as git commit does
	w.Write(".git/MESSAGE", "work\n")
	ok(t, e.PrepareCommitMsg(w.ctx, w.GitPath("MESSAGE"), "message"))
	prep, waits := e.choiceFor(git.Commit{Message: readFile(t, w.GitPath("MESSAGE"))})
	tree := func() git.OID {
		oid, err := git.ParseOID(strings.TrimSpace(w.Git("rev-parse", "HEAD^{tree}")))
		ok(t, err)
		return oid
	}
	before := tree()
	w.Git("commit", "-q", "--no-verify", "-m", "work")
	after := tree()
	want, err := e.codeDiff(w.ctx, before, after)
	ok(t, err)
	if d := prep.Diff; !waits || d == nil || d.From != before || d.To != after || !slices.Equal(d.Changes, want) || len(want) != 2 {
		t.Fatalf("handed on: %+v, want %v from %s to %s", prep.Diff, want, before, after)
	}
	wrong := &treeDiff{prep.Diff.From, prep.Diff.To, nil}
	for _, pair := range [][2]git.OID{{before, after}, {{}, after}, {after, before}} {
		got, err := e.codeDiffOnce(w.ctx, pair[0], pair[1], wrong)
		ok(t, err)
		want, err := e.codeDiff(w.ctx, pair[0], pair[1])
		ok(t, err)
		if its := pair[0] == before; its && got != nil || !its && !slices.Equal(got, want) {
			t.Errorf("from %s to %s: %v", pair[0], pair[1], got)
		}
	}
	many := make([]git.Change, handedMax+1)
	for _, d := range []*treeDiff{newTreeDiff(before, git.OID{}, want), newTreeDiff(before, after, many), newTreeDiff(before, after, []git.Change{{Path: "\xff"}})} {
		if d != nil {
			t.Errorf("handed on, too: %v", d)
		}
	}
}
