package walk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/histories"
)

// What TestMain sets before any test runs.
var (
	binary   = "" // the program under test
	template = "" // both sides, ready to be copied
)

// names are all the paths a walk may use: few, so that everything meets.
var names = []string{"a.txt", "b.txt", "dir/c.txt", "dir/d.txt", "dir/sub/e.txt", "sp ace/ü.txt",
	"n1.txt", "n2.txt", "dir/n3.txt", "new dir/n4.txt", "lnk", "run.sh"}

// tracked is how many of names the first commit has.
const tracked = 6

func TestMain(m *testing.M) {
	histories.Main(m, func(dir string) {
		binary, template = filepath.Join(dir, "bin", "entire"), filepath.Join(dir, "template")
		makeTemplate()
	})
}

// makeTemplate makes both sides: the second is a copy from which entire is taken out.
func makeTemplate() {
	s := sideIn(filepath.Join(template, "entire"))
	text := func(wt int, path, text string) {
		histories.Put(s.Dir(wt), path, histories.File{Mode: "644", Text: text})
	}
	commit := func(args ...string) {
		s.Git(0, "add", "-A")
		s.Git(0, append([]string{"-c", "core.hooksPath=/dev/null", "commit", "-q", "-m"}, args...)...)
	}
	s.Init()
	s.Must(binary, "enable", "--agent", "claude-code", "--telemetry=false")
	text(0, ".gitignore", "*.log\n")
	text(0, "debug.log", "mine\n")
	commit("enable entire")
	for i, name := range names[:tracked] {
		lines := ""
		for n := range 9 {
			lines += fmt.Sprintf("base %d-%d of %s\n", i, n, name)
		}
		text(0, name, lines)
	}
	commit("first")
	commit("second", "--allow-empty")
	commit("third", "--allow-empty")
	s.Git(0, "worktree", "add", "-q", "-b", "side", "../wt")
	s.Git(0, "clone", "-q", "--bare", "--single-branch", ".", "../remote.git")
	s.Git(0, "remote", "add", "origin", "../remote.git")
	s.Git(0, "fetch", "-q", "origin", "main")
	text(1, "debug.log", "mine too\n")
	plain := filepath.Join(template, "plain")
	histories.Check("setup", os.CopyFS(plain, os.DirFS(s.Root)))
	for _, name := range []string{"hooks", "entire", "entire-sessions", "refs/heads/entire"} {
		histories.Check("setup", os.RemoveAll(filepath.Join(plain, "main", ".git", name)))
	}
}

// sideIn is one of the two repositories: two worktrees, and a bare remote beside them.
func sideIn(root string) *histories.Repo {
	return histories.NewRepo(root, filepath.Dir(binary), "main", "wt")
}

// newSide copies a side of the template.
func newSide(dir, name string) *histories.Repo {
	root := filepath.Join(dir, name)
	histories.Check("setup", os.CopyFS(root, os.DirFS(filepath.Join(template, name))))
	for _, rel := range []string{"wt/.git", "main/.git/worktrees/wt/gitdir"} {
		data, err := os.ReadFile(filepath.Join(root, rel))
		histories.Check("setup", err)
		data = []byte(strings.ReplaceAll(string(data), filepath.Join(template, "entire"), root))
		histories.Check("setup", os.WriteFile(filepath.Join(root, rel), data, 0o644))
	}
	return sideIn(root)
}
