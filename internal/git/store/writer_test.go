package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

// temps lists temporary object files.
func temps(t testing.TB, repo *Repo) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(repo.objects, "*", "tmp_obj_*"))
	ok(t, err)
	return found
}

func TestObjectsAreThoseGitWouldWrite(t *testing.T) {
	t.Parallel()
	for _, opts := range [][]testrepo.Option{nil, {testrepo.SHA256()}} {
		r := testrepo.New(t, opts...)
		repo := open(t, r)
		w := repo.Writer()
		for _, content := range []string{"", "x", "hello\n", strings.Repeat("long ", 100_000), "\x00\xff"} {
			oid := must[object.OID](t)(w.Blob([]byte(content)))
			if want := r.GitInput(content, "hash-object", "--stdin"); oid.String() != want || repo.BlobOID([]byte(content)) != oid {
				t.Errorf("blob %s, git says %s", oid, want)
			}
		}
		blob := must[object.OID](t)(w.Blob([]byte("x")))
		sub := must[object.OID](t)(w.Tree([]object.TreeEntry{{Mode: object.ModeFile, Name: "f", OID: blob}}))
		root := must[object.OID](t)(w.Tree([]object.TreeEntry{{Mode: object.ModeTree, Name: "a", OID: sub}, {Mode: object.ModeFile, Name: "a.b", OID: blob}, {Mode: object.ModeExec, Name: "a0", OID: blob}, {Mode: object.ModeSymlink, Name: "A", OID: blob}}))
		c := object.Commit{Tree: root, Parents: []object.OID{oidOf(t, r.Head())}, Author: tester, Committer: tester, Message: "subject\n\nbody\n"}
		oid := must[object.OID](t)(w.Commit(c))
		if n := len(temps(t, repo)); n == 0 {
			t.Error("objects have their names before Sync")
		}
		ok(t, w.Sync())
		r.Git("update-ref", "refs/x/r", oid.String())
		if got := r.Git("log", "-1", "--format=%an %ae %ad %s|%b|%P", "--date=raw", "refs/x/r"); got != "Tess Ter tess@example.com 1700000000 +0000 subject|body\n|"+r.Head() {
			t.Errorf("commit %q", got)
		}
		r.Fsck()
		back := must[object.Commit](t)(repo.Reader(t.Context()).Commit(oid))
		if back.Message != c.Message || back.Tree != root || !back.Author.When.Equal(tester.When) || back.Author.Name != tester.Name {
			t.Errorf("read back %+v", back)
		}
		if left := temps(t, repo); len(left) != 0 {
			t.Errorf("temporary files %q", left)
		}
	}
}

func TestWriterRefusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	w := open(t, r).Writer()
	blob := must[object.OID](t)(w.Blob([]byte("x")))
	long := object.MustOID(strings.Repeat("ab", 32))
	for name, entries := range map[string][]object.TreeEntry{
		"zero ID":         {{Mode: object.ModeFile, Name: "f", OID: object.OID{}}},
		"other hash":      {{Mode: object.ModeFile, Name: "f", OID: long}},
		"no name":         {{Mode: object.ModeFile, Name: "", OID: blob}},
		"slash":           {{Mode: object.ModeFile, Name: "a/b", OID: blob}},
		"NUL":             {{Mode: object.ModeFile, Name: "a\x00b", OID: blob}},
		"no mode":         {{Mode: 0, Name: "a", OID: blob}},
		"twice":           {{Mode: object.ModeFile, Name: "a", OID: blob}, {Mode: object.ModeExec, Name: "a", OID: blob}},
		"file and folder": {{Mode: object.ModeFile, Name: "a", OID: blob}, {Mode: object.ModeFile, Name: "a.b", OID: blob}, {Mode: object.ModeTree, Name: "a", OID: blob}},
	} {
		if oid, err := w.Tree(entries); err == nil {
			t.Errorf("%s: written as %s", name, oid)
		}
	}
	for name, c := range map[string]object.Commit{
		"no tree": {}, "other hash": {Tree: long}, "zero parent": {Tree: blob, Parents: []object.OID{{}}},
	} {
		if oid, err := w.Commit(c); err == nil {
			t.Errorf("commit with %s: written as %s", name, oid)
		}
	}
}

// TestHostileCommitFields cannot break out of their line.
func TestHostileCommitFields(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	who := object.Signature{Name: "a\nparent 0 <x>\x00", Email: "e>\n\nmessage", When: time.Time{}}
	oid := must[object.OID](t)(repo.Writer().Commit(object.Commit{Tree: oidOf(t, r.Git("rev-parse", "HEAD^{tree}")), Author: who, Committer: object.Signature{}, Message: "m\x00m"}))
	ok(t, repo.UpdateRefs(t.Context(), []RefUpdate{{"refs/x/r", oid, object.OID{}}}))
	if got := r.Git("log", "-1", "--format=%an|%ae|%at|%cn|%ct|%B", "refs/x/r"); got != "a parent 0 x|e  message|0||0|mm" {
		t.Errorf("commit %q", got)
	}
	r.Fsck()
}

// TestReuseFreshens: an old object we come to depend on is new again, so that a
// prune that looks at its age lets it be.
func TestReuseFreshens(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	oid := oidOf(t, r.GitInput("old\n", "hash-object", "-w", "--stdin"))
	old := time.Now().Add(-30 * 24 * time.Hour)
	ok(t, os.Chtimes(repo.loosePath(oid), old, old))
	must[object.OID](t)(repo.Writer().Blob([]byte("old\n")))
	ok(t, repo.Writer().Sync())
	r.Git("prune", "--expire=2.weeks.ago")
	if _, err := r.TryGit("cat-file", "-e", oid.String()); err != nil {
		t.Error("pruned")
	}
}

func TestPackedObjectIsWrittenLoose(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Git("gc", "-q")
	repo := open(t, r)
	oid := must[object.OID](t)(repo.Writer().Blob([]byte("hello\n")))
	if r.Git("rev-parse", "HEAD:README.md") != oid.String() {
		t.Fatal("another object")
	}
	ok(t, repo.Writer().Sync())
	if _, err := os.Stat(repo.loosePath(oid)); err != nil {
		t.Error(err)
	}
	r.Fsck()
}

// TestEmptyObjectIsReplaced: a crash of somebody else's git left one.
func TestEmptyObjectIsReplaced(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	oid := repo.BlobOID([]byte("content"))
	ok(t, os.MkdirAll(filepath.Dir(repo.loosePath(oid)), 0o755))
	ok(t, os.WriteFile(repo.loosePath(oid), nil, 0o444))
	must[object.OID](t)(repo.Writer().Blob([]byte("content")))
	ok(t, repo.Writer().Sync())
	if got := r.Git("cat-file", "-p", oid.String()); got != "content" {
		t.Errorf("holds %q", got)
	}
}

func TestCloseDiscardsWhatWasNotSynced(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	oid := must[object.OID](t)(repo.Writer().Blob([]byte("x")))
	if len(temps(t, repo)) != 1 {
		t.Fatalf("temporary files %q", temps(t, repo))
	}
	ok(t, repo.Close())
	if left := temps(t, repo); len(left) != 0 {
		t.Errorf("left behind %q", left)
	}
	if _, err := os.Stat(repo.loosePath(oid)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the object is there: %v", err)
	}
}

func TestFailedSyncLeavesNothing(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	for _, content := range []string{"x", "y", "z"} {
		must[object.OID](t)(repo.Writer().Blob([]byte(content)))
	}
	for _, temp := range temps(t, repo) {
		ok(t, os.Remove(temp)) // as a prune would, an hour later
		break
	}
	if err := repo.Writer().Sync(); err == nil {
		t.Error("an object without content was named")
	}
	if left := temps(t, repo); len(left) != 0 {
		t.Errorf("left behind %q", left)
	}
	must[object.OID](t)(repo.Writer().Blob([]byte("x"))) // and it can be tried again
	ok(t, repo.Writer().Sync())
	r.Fsck()
}

func TestUnwritableObjectFolder(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	repo.objects = filepath.Join(r.Dir, "README.md")
	if _, err := repo.Writer().Blob([]byte("x")); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}

func TestSharedRepository(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]os.FileMode{"": 0, "umask": 0, "false": 0, "group": 0o660, "1": 0o660, "all": 0o664, "0640": 0o640, "junk": 0} {
		if got := object.SharedBits(value); got != want {
			t.Errorf("%q: %o, want %o", value, got, want)
		}
	}
	r := testrepo.New(t)
	r.Git("config", "core.sharedRepository", "group")
	repo := open(t, r)
	ours := newFolder(t, repo, "ours")
	must[object.OID](t)(repo.Writer().Blob([]byte(ours)))
	ok(t, repo.Writer().Sync())
	gits := newFolder(t, repo, "git's")
	r.GitInput(gits, "hash-object", "-w", "--stdin")
	got, err := os.Stat(filepath.Dir(repo.loosePath(repo.BlobOID([]byte(ours)))))
	ok(t, err)
	want, err := os.Stat(filepath.Dir(repo.loosePath(repo.BlobOID([]byte(gits)))))
	ok(t, err)
	if got.Mode() != want.Mode() {
		t.Errorf("folder %v, git makes %v", got.Mode(), want.Mode())
	}
}

// newFolder returns content whose object needs a folder that is not there yet.
func newFolder(t *testing.T, repo *Repo, text string) string {
	t.Helper()
	for {
		text += "\n"
		_, err := os.Stat(filepath.Dir(repo.loosePath(repo.BlobOID([]byte(text)))))
		if errors.Is(err, os.ErrNotExist) {
			return text
		}
		ok(t, err)
	}
}

// TestObjectModes are those of git, umask included.
func TestObjectModes(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	ours := must[object.OID](t)(repo.Writer().Blob([]byte("ours\n")))
	ok(t, repo.Writer().Sync())
	gits := oidOf(t, r.GitInput("git's\n", "hash-object", "-w", "--stdin"))
	a, err := os.Stat(repo.loosePath(ours))
	ok(t, err)
	b, err := os.Stat(repo.loosePath(gits))
	ok(t, err)
	if a.Mode() != b.Mode() {
		t.Errorf("mode %v, git's is %v", a.Mode(), b.Mode())
	}
}

func TestReaderSeesWhatIsNotSyncedYet(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	tree := must[object.OID](t)(repo.Writer().Tree(nil))
	c := must[object.OID](t)(repo.Writer().Commit(object.Commit{Tree: tree, Author: tester, Committer: tester, Message: "m"}))
	if got := must[object.Commit](t)(repo.Reader(t.Context()).Commit(c)); got.Message != "m" || got.OID != c {
		t.Errorf("read %+v", got)
	}
	data := must[[]byte](t)(repo.Writer().repo.Reader(t.Context()).Blob(oidOf(t, r.Git("rev-parse", "HEAD:README.md"))))
	if !bytes.Equal(data, []byte("hello\n")) {
		t.Errorf("read %q", data)
	}
}

// TestWriteWhileEmptyFoldersGo: git gc removes the empty folders of objects, also one that was made for the next object.
func TestWriteWhileEmptyFoldersGo(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	done := make(chan struct{})
	var running sync.WaitGroup
	for range 2 {
		running.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				for n := range 256 {
					os.Remove(r.Path(fmt.Sprintf(".git/objects/%02x", n)))
				}
			}
		})
	}
	var blobs []object.OID
	w := repo.Writer()
	for n := range 400 {
		oid, err := w.Blob([]byte(strconv.Itoa(n)))
		ok(t, err)
		ok(t, w.Sync())
		blobs = append(blobs, oid)
	}
	close(done)
	running.Wait()
	for n, oid := range blobs {
		if data := must[[]byte](t)(repo.Reader(t.Context()).Blob(oid)); string(data) != strconv.Itoa(n) {
			t.Fatalf("%s: %q", oid, data)
		}
	}
	r.Fsck()
}
