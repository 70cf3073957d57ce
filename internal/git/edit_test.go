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

	"entire/internal/testrepo"
)

// model is a tree as a map: path to mode and blob.
type model map[string]Edit

// put sets a path, as `update-index --replace` does: files above and below make
// way.
func (m model) put(e Edit) {
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
	maps.DeleteFunc(m, func(p string, _ Edit) bool { return strings.HasPrefix(p, path+"/") })
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
	var blobs []OID
	for _, c := range []string{"1", "2", "3"} {
		blobs = append(blobs, must[OID](t)(repo.Writer().Blob([]byte(c))))
	}
	ok(t, repo.Writer().Sync())
	someFile := rapid.Custom(func(t *rapid.T) Edit {
		return Edit{somePath.Draw(t, "path"), rapid.SampledFrom([]uint32{ModeFile, ModeExec, ModeSymlink}).Draw(t, "mode"), rapid.SampledFrom(blobs).Draw(t, "blob")}
	})
	rapid.Check(t, func(rt *rapid.T) {
		before := model{}
		for _, e := range rapid.SliceOfN(someFile, 0, 8).Draw(rt, "tree") {
			before.put(e)
		}
		after := maps.Clone(before)
		var edits []Edit
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
				edits = append(edits, Edit{Path: p})
			}
		}
		for p, e := range after {
			if before[p] != e {
				edits = append(edits, e)
			}
		}
		baseHex := before.write(r, index)
		base, err := ParseOID(baseHex)
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
func diffAgainstGit(ctx context.Context, t rapid.TB, r *testrepo.Repo, repo *Repo, a, b OID) {
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

func TestEditTree(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{"d/a": "1", "d/b": "1", "d/e/f": "1", "f": "1"}))
	repo := open(t, r)
	base := oidOf(t, r.Git("rev-parse", "HEAD^{tree}"))
	blob := must[OID](t)(repo.Writer().Blob([]byte("2")))
	sub := must[OID](t)(repo.Writer().Tree([]TreeEntry{{ModeFile, "s", blob}, {ModeFile, "t", blob}}))
	ok(t, repo.Writer().Sync())
	for _, row := range []struct {
		name  string
		edits []Edit
		want  string // paths
	}{
		{"none", nil, "d/a d/b d/e/f f"},
		{"remove a folder", []Edit{{Path: "d"}}, "f"},
		{"remove all", []Edit{{Path: "d"}, {Path: "f"}}, ""},
		{"remove what is not there", []Edit{{Path: "x/y/z"}, {Path: "d/x"}}, "d/a d/b d/e/f f"},
		{"remove below a file", []Edit{{Path: "f/g/h"}}, "d/a d/b d/e/f f"},
		{"last in a folder", []Edit{{Path: "d/e/f"}}, "d/a d/b f"},
		{"folder by file", []Edit{{"d", ModeFile, blob}, {Path: "d/a"}, {Path: "d/b"}}, "d f"},
		{"file by folder", []Edit{{"f/g", ModeFile, blob}, {Path: "f"}}, "d/a d/b d/e/f f/g"},
		{"file by folder, unsaid", []Edit{{"f/g", ModeFile, blob}}, "d/a d/b d/e/f f/g"},
		{"folder emptied, then filled", []Edit{{Path: "d"}, {"d/new", ModeFile, blob}}, "d/new f"},
		{"last one counts", []Edit{{"n", ModeFile, blob}, {Path: "n"}}, "d/a d/b d/e/f f"},
		{"subtree", []Edit{{"d", ModeTree, sub}}, "d/s d/t f"},
		{"subtree, edited", []Edit{{"d/t", 0, OID{}}, {"d", ModeTree, sub}, {"d/u/v", ModeFile, blob}}, "d/s d/u/v f"},
		{"subtree in a new folder, edited", []Edit{{"n/d", ModeTree, sub}, {"n/d/u/v", ModeFile, blob}}, "d/a d/b d/e/f f n/d/s n/d/t n/d/u/v"},
		{"subtree emptied", []Edit{{"d", ModeTree, sub}, {Path: "d/s"}, {Path: "d/t"}}, "f"},
		{"submodule", []Edit{{"m", ModeGitlink, blob}}, "d/a d/b d/e/f f m"},
	} {
		got := must[OID](t)(repo.EditTree(t.Context(), base, row.edits))
		ok(t, repo.Writer().Sync())
		if paths := strings.ReplaceAll(r.Git("ls-tree", "-r", "--name-only", got.String()), "\n", " "); paths != row.want {
			t.Errorf("%s: %q, want %q", row.name, paths, row.want)
		}
	}
	for _, e := range []Edit{
		{"../x", ModeFile, blob}, {".git/x", ModeFile, blob}, {"a//b", ModeFile, blob}, {"x", 0o100664, blob}, {"x", ModeFile, OID{}},
		{"x", ModeFile, MustOID(strings.Repeat("ab", 32))}, {"", 0, OID{}},
	} {
		if oid, err := repo.EditTree(t.Context(), base, []Edit{e}); err == nil {
			t.Errorf("%+v gave %s", e, oid)
		}
	}
	if _, err := repo.EditTree(t.Context(), blob, []Edit{{Path: "x"}}); err == nil {
		t.Error("a blob was edited")
	}
	if got := must[OID](t)(repo.EditTree(t.Context(), OID{}, nil)); got != repo.EmptyTree() {
		t.Errorf("nothing gave %s", got)
	}
}

// TestEditTreeTouchesOnlyTheWay: the cost does not depend on what is beside it.
func TestEditTreeTouchesOnlyTheWay(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("d%02d/e/f%d", i%40, i)] = "x"
	}
	r := testrepo.New(t, testrepo.Files(files))
	repo := open(t, r)
	blob := must[OID](t)(repo.Writer().Blob([]byte("y")))
	must[OID](t)(repo.EditTree(t.Context(), oidOf(t, r.Git("rev-parse", "HEAD^{tree}")), []Edit{{"d07/e/new", ModeFile, blob}}))
	if n := len(repo.pending); n != 4 { // the blob and three trees
		t.Errorf("%d objects written", n)
	}
}

func TestDiffTreesWithNothing(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, base)
	repo := open(t, r)
	tree := oidOf(t, r.Git("rev-parse", "HEAD^{tree}"))
	for _, pair := range [][2]OID{{tree, {}}, {{}, tree}} {
		if got := must[[]Change](t)(repo.DiffTrees(t.Context(), pair[0], pair[1])); len(got) != 3 {
			t.Errorf("%d differences", len(got))
		}
	}
	if got := must[[]Change](t)(repo.DiffTrees(t.Context(), tree, tree)); len(got) != 0 {
		t.Errorf("differs from itself in %+v", got)
	}
	if _, err := repo.DiffTrees(t.Context(), tree, MustOID(strings.Repeat("12", 20))); err == nil {
		t.Error("a missing tree was compared")
	}
}
