package walk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/histories"
	"entire/internal/testrepo"
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
	if _, err := os.Stat("/dev/shm"); err == nil && os.Getenv("TMPDIR") == "" {
		os.Setenv("TMPDIR", "/dev/shm")
	}
	dir, err := os.MkdirTemp("", "walk-bin-")
	if err == nil {
		binary, template = filepath.Join(dir, "bin", "entire"), filepath.Join(dir, "template")
		err = prepare(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "walk:", err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// prepare builds the program, and a template with both sides.
func prepare(dir string) error {
	if err := testrepo.BuildInto(filepath.Join(dir, "bin"), "entire"); err != nil {
		return err
	}
	if err := histories.WriteEditor(filepath.Join(dir, "bin")); err != nil {
		return err
	}
	return makeTemplate()
}

func makeTemplate() error {
	root := filepath.Join(template, "entire")
	s := sideIn(root)
	top := s.Dir(0)
	if err := os.MkdirAll(filepath.Join(root, "home"), 0o755); err != nil {
		return err
	}
	config := "[user]\n\tname = Tess Ter\n\temail = tess@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n\treflogExpire = never\n\treflogExpireUnreachable = never\n[maintenance]\n\tauto = false\n" +
		"[core]\n\tfsync = none\n[advice]\n\tdetachedHead = false\n[commit]\n\tverbose = false\n[rerere]\n\tenabled = false\n"
	if err := os.WriteFile(filepath.Join(root, "home", ".gitconfig"), []byte(config), 0o644); err != nil {
		return err
	}
	if err := os.MkdirAll(top, 0o755); err != nil {
		return err
	}
	steps := [][]string{{"git", "init", "-q", "--template="}, {binary, "enable", "--agent", "claude-code", "--telemetry=false"}}
	if err := all(s, steps); err != nil {
		return err
	}
	histories.Put(s.Dir(0), ".gitignore", histories.File{Mode: "644", Text: "*.log\n"})
	histories.Put(s.Dir(0), "debug.log", histories.File{Mode: "644", Text: "mine\n"})
	commit := []string{"git", "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m"}
	if err := all(s, [][]string{{"git", "add", "-A"}, append(commit, "enable entire")}); err != nil {
		return err
	}
	for i, name := range names[:tracked] {
		text := ""
		for n := range 9 {
			text += fmt.Sprintf("base %d-%d of %s\n", i, n, name)
		}
		histories.Put(s.Dir(0), name, histories.File{Mode: "644", Text: text})
	}
	err := all(s, [][]string{{"git", "add", "-A"}, append(commit, "first"),
		append(commit, "second", "--allow-empty"), append(commit, "third", "--allow-empty"),
		{"git", "worktree", "add", "-q", "-b", "side", "../wt"}, {"git", "clone", "-q", "--bare", "--single-branch", ".", "../remote.git"},
		{"git", "remote", "add", "origin", "../remote.git"}, {"git", "fetch", "-q", "origin", "main"}})
	if err != nil {
		return err
	}
	histories.Put(s.Dir(1), "debug.log", histories.File{Mode: "644", Text: "mine too\n"})
	return makeTwin(s)
}

func all(s *histories.Repo, steps [][]string) error {
	for _, args := range steps {
		if o := s.Run(histories.Command{Args: args}); o.Code != 0 {
			return fmt.Errorf("%v: %d %s", args, o.Code, o.Out)
		}
	}
	return nil
}

// makeTwin copies a side and takes entire out of the copy.
func makeTwin(s *histories.Repo) error {
	root := filepath.Join(template, "plain")
	if err := os.CopyFS(root, os.DirFS(s.Root)); err != nil {
		return err
	}
	for _, name := range []string{"hooks", "entire", "entire-sessions", "refs/heads/entire"} {
		if err := os.RemoveAll(filepath.Join(root, "main", ".git", name)); err != nil {
			return err
		}
	}
	return nil
}

func environ(root string) []string {
	env := testrepo.Environ(filepath.Join(root, "home"))
	for i, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			env[i] = "PATH=" + filepath.Dir(binary) + string(os.PathListSeparator) + value
		}
	}
	return append(env, "ENTIRE_TEST_TTY=0")
}

// sideIn is one of the two repositories: two worktrees, and a bare remote beside them.
func sideIn(root string) *histories.Repo {
	return &histories.Repo{Root: root, Trees: []string{"main", "wt"}, Env: environ(root)}
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
