package git

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/internal/git/object"
	"entire/internal/git/store"
	"entire/internal/testrepo"
)

// model is a tree as a map: path to mode and blob.
type model map[string]store.Edit

// put sets a path, as `update-index --replace` does: files above and below make
// way.
func (m model) put(e store.Edit) {
	m.remove(e.Path)
	for i, c := range e.Path {
		if c == '/' {
			delete(m, e.Path[:i])
		}
	}
	m[e.Path] = e
}

func (m model) remove(path string) {
	delete(m, path)
	maps.DeleteFunc(m, func(p string, _ store.Edit) bool { return strings.HasPrefix(p, path+"/") })
}

// write makes git write the model as a tree, through a temporary index.
func (m model) write(r *testrepo.Repo, index string) string {
	tmp := *r
	tmp.Env = append(slices.Clone(r.Env), "GIT_INDEX_FILE="+index)
	_ = os.Remove(index)
	var in strings.Builder
	for _, path := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&in, "%o %s\t%s\x00", m[path].Mode, m[path].OID, path)
	}
	tmp.GitInput(in.String(), "update-index", "-z", "--index-info")
	return tmp.Git("write-tree")
}

var somePath = rapid.Custom(func(t *rapid.T) string {
	names := rapid.SampledFrom([]string{"a", "a.b", "a-", "a0", "b", "B", "é", "z z"})
	return strings.Join(rapid.SliceOfN(names, 1, 3).Draw(t, "names"), "/")
})

// TestEditTreeAgainstGit: random trees and edits give the tree git writes.
func TestEditTreeAgainstGit(t *testing.T) {
	r := testrepo.New(t)
	repo := open(t, r)
	index := t.TempDir() + "/index"
	var blobs []object.OID
	for _, c := range []string{"1", "2", "3"} {
		blobs = append(blobs, must[object.OID](t)(repo.Writer().Blob([]byte(c))))
	}
	ok(t, repo.Writer().Sync())
	someFile := rapid.Custom(func(t *rapid.T) store.Edit {
		return store.Edit{Path: somePath.Draw(t, "path"), Mode: rapid.SampledFrom([]uint32{object.ModeFile, object.ModeExec, object.ModeSymlink}).Draw(t, "mode"), OID: rapid.SampledFrom(blobs).Draw(t, "blob")}
	})
	rapid.Check(t, func(rt *rapid.T) {
		before := model{}
		for _, e := range rapid.SliceOfN(someFile, 0, 8).Draw(rt, "tree") {
			before.put(e)
		}
		after := maps.Clone(before)
		var edits []store.Edit
		// As a worktree changes: what is there no more is removed, then what is
		// there is put.
		removed := rapid.SliceOfN(somePath, 0, 4).Draw(rt, "removed")
		for _, p := range removed {
			after.remove(p)
		}
		for _, e := range rapid.SliceOfN(someFile, 0, 4).Draw(rt, "put") {
			after.put(e)
		}
		for p := range before {
			if _, kept := after[p]; !kept {
				edits = append(edits, store.Edit{Path: p})
			}
		}
		for p, e := range after {
			if before[p] != e {
				edits = append(edits, e)
			}
		}
		baseHex := before.write(r, index)
		base, err := object.ParseOID(baseHex)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := repo.EditTree(t.Context(), base, edits)
		if err != nil {
			rt.Fatal(err)
		}
		if err := repo.Writer().Sync(); err != nil {
			rt.Fatal(err)
		}
		if want := after.write(r, index); got.String() != want {
			rt.Fatalf("edits %+v of %+v: tree\n%s\nwant\n%s", edits, before, r.Git("ls-tree", "-r", got.String()), r.Git("ls-tree", "-r", want))
		}
		diffAgainstGit(t.Context(), rt, r, repo, base, got)
	})
	r.Fsck()
}

// diffAgainstGit compares DiffTrees with `diff-tree`, which reports a file that
// became a folder as two paths, like we do.
func diffAgainstGit(ctx context.Context, t rapid.TB, r *testrepo.Repo, repo *Repo, a, b object.OID) {
	t.Helper()
	changes, err := repo.DiffTrees(ctx, a, b)
	if err != nil {
		t.Fatal(err)
	}
	want, err := ParseRaw([]byte(r.Git("diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", a.String(), b.String())))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(want, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	if !slices.Equal(changes, want) {
		t.Fatalf("differences %+v, git says %+v", changes, want)
	}
}

func TestDiffTreesWithNothing(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, base)
	repo := open(t, r)
	tree := oidOf(t, r.Git("rev-parse", "HEAD^{tree}"))
	for _, pair := range [][2]object.OID{{tree, {}}, {{}, tree}} {
		if got := must[[]Change](t)(repo.DiffTrees(t.Context(), pair[0], pair[1])); len(got) != 3 {
			t.Errorf("%d differences", len(got))
		}
	}
	if got := must[[]Change](t)(repo.DiffTrees(t.Context(), tree, tree)); len(got) != 0 {
		t.Errorf("differs from itself in %+v", got)
	}
	if _, err := repo.DiffTrees(t.Context(), tree, object.MustOID(strings.Repeat("12", 20))); err == nil {
		t.Error("a missing tree was compared")
	}
}
