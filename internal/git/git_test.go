package git

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"entire/internal/testrepo"
)

func TestMain(m *testing.M) {
	if ref := os.Getenv("GIT_TEST_INCREMENT"); ref != "" {
		os.Exit(incrementMain(ref))
	}
	goleak.VerifyTestMain(m)
}

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

func oidOf(t testing.TB, hex string) OID {
	t.Helper()
	return must[OID](t)(ParseOID(hex))
}

var tester = Signature{Name: "Tess Ter", Email: "tess@example.com", When: time.Unix(1700000000, 0).UTC()}

// worktreeEdits is the whole way a snapshot goes: what changed, hashed through
// the filters, as edits of HEAD's tree.
func worktreeEdits(t testing.TB, repo *Repo) (*Status, HashResult, []Edit) {
	t.Helper()
	ctx := t.Context()
	st := must[*Status](t)(repo.Status(ctx))
	var files []string
	var edits []Edit
	wt := must[*Worktree](t)(repo.OpenWorktree())
	defer wt.Close()
	for _, e := range st.Entries {
		fi, err := wt.Lstat(e.Path)
		switch {
		case e.Submodule:
			continue
		case err != nil:
			edits = append(edits, Edit{Path: e.Path})
		case fileMode(fi) == ModeSymlink:
			target, _ := must2[[]byte, uint32](t)(wt.Read(e.Path))
			edits = append(edits, Edit{Path: e.Path, Mode: ModeSymlink, OID: must[OID](t)(repo.Writer().Blob(target))})
		default:
			files = append(files, e.Path)
		}
	}
	res := must[HashResult](t)(repo.HashFiles(ctx, files))
	for _, e := range st.Entries {
		oid, hashed := res.OIDs[e.Path]
		if !hashed {
			continue
		}
		mode := ModeFile
		if fi, err := wt.Lstat(e.Path); err == nil {
			mode = fileMode(fi)
		}
		if !repo.FileMode && e.IndexMode != 0 {
			mode = e.IndexMode
		}
		edits = append(edits, Edit{Path: e.Path, Mode: mode, OID: oid})
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
func snapshot(t testing.TB, repo *Repo, ref string) (Commit, *Status, HashResult) {
	t.Helper()
	ctx := t.Context()
	st, res, edits := worktreeEdits(t, repo)
	var base OID
	if head, found, err := repo.Reader(ctx).CommitOf("HEAD"); err != nil {
		t.Fatal(err)
	} else if found {
		base = head.Tree
	}
	tree := must[OID](t)(repo.EditTree(ctx, base, edits))
	c := Commit{Tree: tree, Author: tester, Committer: tester, Message: "snapshot\n"}
	c.OID = must[OID](t)(repo.Writer().Commit(c))
	old, _, err := repo.Ref(ctx, ref)
	ok(t, err)
	ok(t, repo.UpdateRefs(ctx, []RefUpdate{{Name: ref, New: c.OID, Old: old}}))
	return c, st, res
}

// tree is what plain git lists in a commit, by path: mode and blob.
func tree(r *testrepo.Repo, rev string) map[string]string {
	files := map[string]string{}
	for rec := range strings.SplitSeq(r.Git("ls-tree", "-r", "-z", "--full-tree", rev), "\x00") {
		if meta, path, found := strings.Cut(rec, "\t"); found {
			mode, rest, _ := strings.Cut(meta, " ")
			_, oid, _ := strings.Cut(rest, " ")
			files[path] = mode + " " + oid
		}
	}
	return files
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
