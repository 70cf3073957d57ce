package git

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"entire/internal/git/object"
	"entire/internal/git/store"
	"entire/internal/git/worktree"
	"entire/internal/testrepo"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open discovers the repository of r and closes it at the end.
func open(t testing.TB, r *testrepo.Repo) *Repo {
	t.Helper()
	repo, err := Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	return repo
}

// must fails the test on an error and passes the value on.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func oidOf(t testing.TB, hex string) object.OID {
	t.Helper()
	return must[object.OID](t)(object.ParseOID(hex))
}

var tester = object.Signature{Name: "Tess Ter", Email: "tess@example.com", When: time.Unix(1700000000, 0).UTC()}

// modeOf is the mode that git gives to what fi describes.
func modeOf(fi fs.FileInfo) uint32 {
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		return object.ModeSymlink
	case !fi.Mode().IsRegular():
		return 0
	case fi.Mode()&0o111 != 0:
		return object.ModeExec
	}
	return object.ModeFile
}

// worktreeEdits is the whole way a snapshot goes: what changed, hashed through
// the filters, as edits of HEAD's tree.
func worktreeEdits(t testing.TB, repo *Repo) (*Status, store.HashResult, []store.Edit) {
	t.Helper()
	ctx := t.Context()
	st := must[*Status](t)(repo.Status(ctx))
	var files []string
	var edits []store.Edit
	wt := must[*worktree.Worktree](t)(repo.OpenWorktree())
	defer wt.Close()
	for _, e := range st.Entries {
		fi, err := wt.Lstat(e.Path)
		switch {
		case e.Submodule:
			continue
		case err != nil:
			edits = append(edits, store.Edit{Path: e.Path})
		case modeOf(fi) == object.ModeSymlink:
			target, _ := must2[[]byte, uint32](t)(wt.Read(e.Path))
			edits = append(edits, store.Edit{Path: e.Path, Mode: object.ModeSymlink, OID: must[object.OID](t)(repo.Writer().Blob(target))})
		default:
			files = append(files, e.Path)
		}
	}
	res := must[store.HashResult](t)(repo.HashFiles(ctx, files))
	for _, e := range st.Entries {
		oid, hashed := res.OIDs[e.Path]
		if !hashed {
			continue
		}
		mode := object.ModeFile
		if fi, err := wt.Lstat(e.Path); err == nil {
			mode = modeOf(fi)
		}
		if !repo.FileMode && e.IndexMode != 0 {
			mode = e.IndexMode
		}
		edits = append(edits, store.Edit{Path: e.Path, Mode: mode, OID: oid})
	}
	return st, res, edits
}

func must2[T, U any](t testing.TB) func(v T, u U, err error) (T, U) {
	return func(v T, u U, err error) (T, U) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v, u
	}
}

// snapshot commits the worktree's state to ref and returns the commit.
func snapshot(t testing.TB, repo *Repo, ref string) (object.Commit, *Status, store.HashResult) {
	t.Helper()
	ctx := t.Context()
	st, res, edits := worktreeEdits(t, repo)
	var base object.OID
	if head, found, err := repo.Reader(ctx).CommitOf("HEAD"); err != nil {
		t.Fatal(err)
	} else if found {
		base = head.Tree
	}
	tree := must[object.OID](t)(repo.EditTree(ctx, base, edits))
	c := object.Commit{Tree: tree, Author: tester, Committer: tester, Message: "snapshot\n"}
	c.OID = must[object.OID](t)(repo.Writer().Commit(c))
	old, _, err := repo.Ref(ctx, ref)
	ok(t, err)
	ok(t, repo.UpdateRefs(ctx, []store.RefUpdate{{Name: ref, New: c.OID, Old: old}}))
	return c, st, res
}

func timeout(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// git passes over a folder that it cannot open, with a warning.
func TestClosedFolders(t *testing.T) {
	t.Parallel()
	warned := "warning: could not open directory 'a b/it's/': Permission denied\n" +
		"warning: something else\nwarning: could not open directory './': Input/output error\nwarning: could not open directory 'torn"
	want := []ClosedFolder{{"a b/it's", "Permission denied", true}, {".", "Input/output error", false}}
	if got := closedFolders(warned); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

// countSpawns makes repo's git log what it starts; the result tells how many
// git processes there were.
func countSpawns(t testing.TB, repo *store.Repo) func() int {
	t.Helper()
	log := filepath.Join(t.TempDir(), "trace")
	repo.Env = append(slices.Clone(repo.Env), "GIT_TRACE2_EVENT="+log)
	return func() int {
		data, err := os.ReadFile(log)
		ok(t, err)
		return strings.Count(string(data), `"event":"start"`)
	}
}
