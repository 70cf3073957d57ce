package gitblame_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/internal/git"
	"entire/internal/lineage/gitblame"
	"entire/internal/testrepo"
)

// lab asks the same questions with a cache and without.
type lab struct {
	*testrepo.Repo
	t     *testing.T
	cache string
}

func (l *lab) ask(cache, rev string, spans ...gitblame.Span) string {
	l.t.Helper()
	repo, err := git.Discover(l.t.Context(), l.Dir, l.Env)
	if err != nil {
		l.t.Fatal(err)
	}
	defer repo.Close()
	lines, err := gitblame.Blamer{Repo: repo, CacheDir: cache}.Lines(l.t.Context(), rev, "f.txt", spans)
	if err != nil {
		return "refused"
	}
	var b strings.Builder
	for _, n := range lines {
		fmt.Fprintf(&b, "%d %d %+v %q\n", n.Number, n.Origin, *n.Commit, n.Text)
	}
	return b.String()
}

// same fails if the cache answers otherwise than git, at once or when asked again. It returns the answer.
func (l *lab) same(what, rev string, spans ...gitblame.Span) string {
	l.t.Helper()
	want := l.ask("", rev, spans...)
	for range 2 {
		if got := l.ask(l.cache, rev, spans...); got != want {
			l.t.Fatalf("%s: the cache says\n%sgit says\n%s", what, got, want)
		}
	}
	return want
}

func (l *lab) kept() []string {
	files, _ := filepath.Glob(filepath.Join(l.cache, "blame", "*"))
	return files
}

// TestCacheAnswersLikeGit changes what git's answer depends on, one thing after the other.
func TestCacheAnswersLikeGit(t *testing.T) {
	t.Parallel()
	l := &lab{Repo: testrepo.New(t, testrepo.Files(map[string]string{"f.txt": "one\ntwo\nthree\n"})), t: t, cache: t.TempDir()}
	l.Git("add", "-A")
	l.Git("commit", "-q", "--allow-empty", "-m", "first")
	before := l.same("one commit", "")
	l.same("one commit", "HEAD")
	l.same("some lines", "HEAD", gitblame.Span{From: 2, To: 3})
	l.same("beyond the end", "HEAD", gitblame.Span{From: 9, To: 9})
	if n := len(l.kept()); n != 2 {
		t.Fatalf("%d answers are kept; want one of the whole file, of HEAD and the worktree, and one of two lines", n)
	}
	l.Write("f.txt", "one\nnew\ntwo\nthree\n")
	if l.same("not committed", "") == before {
		t.Fatal("the change is not seen")
	}
	l.Git("commit", "-q", "-a", "-m", "second")
	l.same("two commits", "")
	l.same("an earlier one", "HEAD~1")
	l.Git("commit", "-q", "--amend", "-m", "other words")
	l.same("amended", "")
	l.Write("f.txt", "  one\nnew\nthree\ntwo\n")
	l.Git("commit", "-q", "-a", "-m", "indent")
	named := l.same("indented", "")
	l.Write(".mailmap", "Another Name <"+testrepo.UserEmail+">\n")
	if l.same("other names", "") == named {
		t.Fatal("the map of names is not seen")
	}
	l.Git("mv", "f.txt", "g.txt")
	l.Git("commit", "-q", "-m", "move away")
	l.same("gone", "")
	l.Git("mv", "g.txt", "f.txt")
	l.Git("commit", "-q", "-m", "move back")
	l.same("renamed twice", "")
	l.Git("config", "diff.algorithm", "patience")
	l.same("another way to compare", "")
	l.Git("replace", "--graft", "HEAD~2")
	l.same("a replaced commit", "")
	full := l.same("all there", "HEAD")
	root := strings.TrimSpace(l.Git("rev-parse", "HEAD~2"))
	l.Write(".git/info/grafts", root+"\n")
	if l.same("a graft", "HEAD") == full {
		t.Fatal("the graft is not seen")
	}
}

// TestDamagedCache breaks every kept answer at every place in turn.
func TestDamagedCache(t *testing.T) {
	t.Parallel()
	l := &lab{Repo: testrepo.New(t, testrepo.Files(map[string]string{"f.txt": "one\ntwo\n"})), t: t, cache: t.TempDir()}
	want := l.same("whole", "HEAD")
	if strings.Count(want, "\n") != 2 || len(l.kept()) != 1 {
		t.Fatalf("%d answers are kept of\n%s", len(l.kept()), want)
	}
	file := l.kept()[0]
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(data); i += 7 {
		for _, broken := range [][]byte{data[:i], slices.Concat(data[:i], []byte{data[i] ^ 1}, data[i+1:])} {
			if err := os.WriteFile(file, broken, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := l.ask(l.cache, "HEAD"); got != want {
				t.Fatalf("broken at %d:\n%s", i, got)
			}
		}
	}
}
