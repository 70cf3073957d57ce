package merge

import (
	"slices"
	"strings"
	"testing"

	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// own makes a commit of a ref whose tree is a checkpoint, as the branch has it at tip.
func (l *lab) own(tip git.OID, cp id.CheckpointID, parents ...git.OID) git.OID {
	l.Helper()
	tree := l.must(git.ParseOID(l.r.Git("rev-parse", tip.String()+":"+cp.Path())))
	c, err := l.repo.Reader(l.Context()).Commit(tip)
	if err != nil {
		l.Fatal(err)
	}
	w := l.repo.Writer()
	oid := l.must(w.Commit(git.Commit{Tree: tree, Parents: parents, Author: c.Author, Committer: c.Committer, Message: "x"}))
	return l.must(oid, w.Sync())
}

// TestRefsMergeAsTheBranch merges the same versions of a checkpoint on the branch and in a ref of its own.
func TestRefsMergeAsTheBranch(t *testing.T) {
	t.Parallel()
	l, cp := newLab(t), checkpointtest.CpA
	both := l.session(git.OID{}, cp, "s1", 5, 0)
	slot := cp.Path() + "/0/"
	for name, row := range map[string]struct{ a, b git.OID }{
		"two sessions":                   {l.session(both, cp, "s2", 1, 2), l.session(both, cp, "s3", 1, 1)},
		"finalised here, summary there":  {l.final(both, cp, "s1", 9), l.summary(both, cp, "s1", "why")},
		"finalised on both sides":        {l.final(both, cp, "s1", 9), l.final(both, cp, "s1", 8)},
		"finalised, and another session": {l.final(both, cp, "s1", 9), l.session(both, cp, "s2", 1, 2)},
		"files of another tool":          {l.file(both, cp.Path()+"/tasks/t1/task.json", "1"), l.file(both, cp.Path()+"/assets/a.png", "2")},
		"an unreadable slot":             {l.file(both, slot+"metadata.json", "{"), l.session(both, cp, "s2", 1, 1)},
		"nothing in common":              {l.session(git.OID{}, cp, "s1", 3, 1), l.unrelated(cp, "s1", 4, 2)},
	} {
		var base []git.OID
		if name != "nothing in common" {
			base = []git.OID{l.own(both, cp)}
		}
		a, b := l.own(row.a, cp, base...), l.own(row.b, cp, base...)
		merged := l.must(buildRef(t.Context(), l.repo, cp, a, b))
		if other := l.must(buildRef(t.Context(), l.repo, cp, b, a)); other != merged {
			t.Errorf("%s: the merge depends on the side: %s and %s", name, merged, other)
		}
		want := l.must(buildMerge(t.Context(), l.repo, row.a, row.b))
		if got, want := l.files(merged), strings.ReplaceAll(l.r.Git("ls-tree", "-r", "--name-only", want.String()+":"+cp.Path()), cp.Path()+"/", ""); got != want {
			t.Errorf("%s: files\n%s\nwant\n%s", name, got, want)
			continue
		}
		for path := range strings.FieldsSeq(l.files(merged)) {
			got, want := l.show(merged, path), l.show(want, cp.Path()+"/"+path)
			if path == metadata.FileName {
				want = strings.ReplaceAll(want, "/"+cp.Path()+"/", "/")
			}
			if got != want {
				t.Errorf("%s: %s is\n%s\nwant\n%s", name, path, got, want)
			}
		}
		if parents := l.r.Git("log", "-1", "--format=%P", merged.String()); !strings.Contains(parents, a.String()) || !strings.Contains(parents, b.String()) {
			t.Errorf("%s: the parents are %s", name, parents)
		}
		if again := l.must(buildRef(t.Context(), l.repo, cp, merged, a)); again != merged {
			t.Errorf("%s: merging a side again made %s of %s", name, again, merged)
		}
	}
}

func TestRefs(t *testing.T) {
	t.Parallel()
	l, cp, other := newLab(t), checkpointtest.CpA, checkpointtest.CpB
	both := l.session(git.OID{}, cp, "s1", 5, 0)
	base := l.own(both, cp)
	ours, theirs := l.own(l.final(both, cp, "s1", 9), cp, base), l.own(l.session(both, cp, "s2", 1, 1), cp, base)
	name := metadata.CheckpointRef(cp)
	for _, row := range []struct {
		name         string
		here, there  git.OID
		moved, wants bool // it moves; to what is there
	}{
		{"both have more", ours, theirs, true, false},
		{"only they have more", base, theirs, true, true},
		{"only we have more", ours, base, false, false},
	} {
		l.r.Git("update-ref", name, row.here.String())
		moved, err := Refs(t.Context(), l.repo, map[id.CheckpointID]git.OID{cp: row.there, other: theirs})
		if err != nil || slices.Contains(moved, cp) != row.moved || slices.Contains(moved, other) {
			t.Errorf("%s: %v, %v", row.name, moved, err)
		}
		if now := l.r.Git("rev-parse", name); row.wants && now != row.there.String() || !row.moved && now != row.here.String() {
			t.Errorf("%s: the ref is %s", row.name, now)
		}
	}
	if _, err := l.r.TryGit("rev-parse", "--verify", "-q", metadata.CheckpointRef(other)); err == nil {
		t.Error("a checkpoint without a ref got one")
	}
}
