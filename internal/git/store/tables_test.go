package store

import (
	"os"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

// TestTables: where refs are in tables (git 2.45 and newer), HEAD, its branch, refs outside of refs/ and reflogs read as they do
// from files. `make newest-git` has such a git where the machine's is older.
func TestTables(t *testing.T) {
	t.Parallel()
	type seen struct{ branch, head, picked, log, side string }
	look := func(format string) seen {
		r := testrepo.New(t, testrepo.Unborn())
		repo := open(t, r)
		if repo.InTables() != (format == "reftable") {
			if out, err := r.Command("git", "refs", "migrate", "--ref-format="+format).CombinedOutput(); err != nil {
				t.Skipf("this git has no tables of refs: %s", out)
			}
			repo = open(t, r)
		}
		if repo.InTables() != (format == "reftable") {
			t.Fatalf("%s: in tables: %v", format, repo.InTables())
		}
		if _, born := repo.Head(t.Context()); born {
			t.Errorf("%s: HEAD is born", format)
		}
		r.Setenv("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
		r.Setenv("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
		commit := func(text string) {
			r.Write("a.txt", text)
			r.Git("add", "-A")
			r.Git("commit", "-q", "-m", text)
		}
		commit("one\n")
		r.Git("switch", "-q", "-c", "side/way")
		commit("two\n")
		if len(repo.ReflogTail(t.Context(), repo.GitDir, "HEAD", 1<<20)) == 0 {
			t.Errorf("%s: no reflog", format)
		}
		r.Git("switch", "-q", "main")
		commit("three\n")
		if repo.RefFile(t.Context(), "CHERRY_PICK_HEAD") != nil {
			t.Errorf("%s: a commit is picked", format)
		}
		_ = r.Command("git", "cherry-pick", "side/way").Run() // it stops at a conflict
		head, _ := repo.Head(t.Context())
		s := seen{branch: repo.Branch(t.Context()), head: head.String(), picked: strings.TrimSpace(string(repo.RefFile(t.Context(), "CHERRY_PICK_HEAD")))}
		s.log = string(repo.ReflogTail(t.Context(), repo.GitDir, "HEAD", 1<<20))
		name := r.Head()
		if err := os.Remove(r.GitPath("objects/" + name[:2] + "/" + name[2:])); err != nil { // the reflog still names it
			t.Fatal(err)
		}
		for _, oid := range repo.Former(t.Context(), "refs/heads/main") {
			s.side += oid.String() + "\n"
		}
		return s
	}
	want := look("files")
	if got := look("reftable"); got != want {
		t.Errorf("tables: %+v\nfiles:  %+v", got, want)
	}
}
