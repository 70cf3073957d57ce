package link_test

import (
	"slices"
	"strings"
	"testing"

	"entire/internal/git"
	"entire/strategy/engine"
	"entire/strategy/githead"
	"entire/strategy/internal/enginetest"
	"entire/strategy/link"
	"entire/strategy/step"
)

// What prepare-commit-msg found is what post-commit takes, for those two trees alone.
func TestDiffIsHandedOn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	e := w.Engine()
	w.Turn("one", "change", func() {
		w.Write("a.txt", "one\n")
		w.Write("names/ü.txt", "new\n")
		w.Write(".entire/own.txt", "ours\n")
	})
	w.Git("add", "-A", "-f")
	w.Git("write-tree") // as git commit does
	w.Write(".git/MESSAGE", "work\n")
	enginetest.Ok(t, engine.PrepareCommitMsg(w.Ctx, e, w.GitPath("MESSAGE"), "message"))
	prep, waits := link.ChoiceFor(w.Ctx, e, git.Commit{Message: enginetest.ReadFile(t, w.GitPath("MESSAGE"))})
	tree := func() git.OID {
		oid, err := git.ParseOID(strings.TrimSpace(w.Git("rev-parse", "HEAD^{tree}")))
		enginetest.Ok(t, err)
		return oid
	}
	before := tree()
	w.Git("commit", "-q", "--no-verify", "-m", "work")
	after := tree()
	want, err := step.CodeDiff(w.Ctx, e, before, after)
	enginetest.Ok(t, err)
	if d := prep.Diff; !waits || d == nil || d.From != before || d.To != after || !slices.Equal(d.Changes, want) || len(want) != 2 {
		t.Fatalf("handed on: %+v, want %v from %s to %s", prep.Diff, want, before, after)
	}
	wrong := &githead.TreeDiff{From: prep.Diff.From, To: prep.Diff.To, Changes: nil}
	for _, pair := range [][2]git.OID{{before, after}, {{}, after}, {after, before}} {
		got, err := githead.CodeDiffOnce(w.Ctx, e, pair[0], pair[1], wrong)
		enginetest.Ok(t, err)
		want, err := step.CodeDiff(w.Ctx, e, pair[0], pair[1])
		enginetest.Ok(t, err)
		if its := pair[0] == before; its && got != nil || !its && !slices.Equal(got, want) {
			t.Errorf("from %s to %s: %v", pair[0], pair[1], got)
		}
	}
	many := make([]git.Change, githead.TreeDiffMax+1)
	for _, d := range []*githead.TreeDiff{githead.NewTreeDiff(before, git.OID{}, want), githead.NewTreeDiff(before, after, many), githead.NewTreeDiff(before, after, []git.Change{{Path: "\xff"}})} {
		if d != nil {
			t.Errorf("handed on, too: %v", d)
		}
	}
}
