package store

import (
	"fmt"
	"strings"
	"testing"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

func TestEditTree(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{"d/a": "1", "d/b": "1", "d/e/f": "1", "f": "1"}))
	repo := open(t, r)
	base := oidOf(t, r.Git("rev-parse", "HEAD^{tree}"))
	blob := must[object.OID](t)(repo.Writer().Blob([]byte("2")))
	sub := must[object.OID](t)(repo.Writer().Tree([]object.TreeEntry{{Mode: object.ModeFile, Name: "s", OID: blob}, {Mode: object.ModeFile, Name: "t", OID: blob}}))
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
		{"folder by file", []Edit{{"d", object.ModeFile, blob}, {Path: "d/a"}, {Path: "d/b"}}, "d f"},
		{"file by folder", []Edit{{"f/g", object.ModeFile, blob}, {Path: "f"}}, "d/a d/b d/e/f f/g"},
		{"file by folder, unsaid", []Edit{{"f/g", object.ModeFile, blob}}, "d/a d/b d/e/f f/g"},
		{"folder emptied, then filled", []Edit{{Path: "d"}, {"d/new", object.ModeFile, blob}}, "d/new f"},
		{"last one counts", []Edit{{"n", object.ModeFile, blob}, {Path: "n"}}, "d/a d/b d/e/f f"},
		{"subtree", []Edit{{"d", object.ModeTree, sub}}, "d/s d/t f"},
		{"subtree, edited", []Edit{{"d/t", 0, object.OID{}}, {"d", object.ModeTree, sub}, {"d/u/v", object.ModeFile, blob}}, "d/s d/u/v f"},
		{"subtree in a new folder, edited", []Edit{{"n/d", object.ModeTree, sub}, {"n/d/u/v", object.ModeFile, blob}}, "d/a d/b d/e/f f n/d/s n/d/t n/d/u/v"},
		{"subtree emptied", []Edit{{"d", object.ModeTree, sub}, {Path: "d/s"}, {Path: "d/t"}}, "f"},
		{"submodule", []Edit{{"m", object.ModeGitlink, blob}}, "d/a d/b d/e/f f m"},
	} {
		got := must[object.OID](t)(repo.EditTree(t.Context(), base, row.edits))
		ok(t, repo.Writer().Sync())
		if paths := strings.ReplaceAll(r.Git("ls-tree", "-r", "--name-only", got.String()), "\n", " "); paths != row.want {
			t.Errorf("%s: %q, want %q", row.name, paths, row.want)
		}
	}
	for _, e := range []Edit{
		{"../x", object.ModeFile, blob}, {".git/x", object.ModeFile, blob}, {"a//b", object.ModeFile, blob}, {"x", 0o100664, blob}, {"x", object.ModeFile, object.OID{}},
		{"x", object.ModeFile, object.MustOID(strings.Repeat("ab", 32))}, {"", 0, object.OID{}},
	} {
		if oid, err := repo.EditTree(t.Context(), base, []Edit{e}); err == nil {
			t.Errorf("%+v gave %s", e, oid)
		}
	}
	if _, err := repo.EditTree(t.Context(), blob, []Edit{{Path: "x"}}); err == nil {
		t.Error("a blob was edited")
	}
	if got := must[object.OID](t)(repo.EditTree(t.Context(), object.OID{}, nil)); got != repo.EmptyTree() {
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
	blob := must[object.OID](t)(repo.Writer().Blob([]byte("y")))
	must[object.OID](t)(repo.EditTree(t.Context(), oidOf(t, r.Git("rev-parse", "HEAD^{tree}")), []Edit{{"d07/e/new", object.ModeFile, blob}}))
	if n := len(repo.pending); n != 4 { // the blob and three trees
		t.Errorf("%d objects written", n)
	}
}
