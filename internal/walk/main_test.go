package walk

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"entire/internal/testrepo"
)

// What TestMain sets before any test runs.
var (
	binary    = "" // the program under test
	template  = "" // both sides, ready to be copied
	sequences = number("WALK_SEQUENCES", 3)
	length    = number("WALK_OPS", 20)
	seed      = number("WALK_SEED", 1)
	limit     = time.Duration(number("WALK_SECONDS", 3600)) * time.Second
	shrinking = time.Duration(number("WALK_SHRINK", 60)) * time.Second
	replay    = os.Getenv("WALK_REPLAY")
	keep      = os.Getenv("WALK_KEEP") // a folder for the repositories of a failed walk
	switches  = text("WALK_SWITCHES", "")
)

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

func text(name, otherwise string) string {
	if value, ok := os.LookupEnv(name); ok {
		return value
	}
	return otherwise
}

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
	if code != 0 {
		fmt.Printf("WALK_SEQUENCES=%d WALK_OPS=%d WALK_SEED=%d\n", sequences, length, seed)
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// editor plays a person in an editor: it writes a message above what is there,
// and may take our trailer out.
const editor = `#!/bin/sh
{ [ -z "$WALK_SUBJECT" ] || printf '%s\n' "$WALK_SUBJECT"
  if [ -n "$WALK_UNLINK" ]; then grep -v '^Entire-Checkpoint: ' "$1"; else cat "$1"; fi; } >"$1.walk"
cat "$1.walk" >"$1"
rm "$1.walk"
`

// prepare builds the program, and a template with both sides.
func prepare(dir string) error {
	if err := testrepo.BuildInto(filepath.Join(dir, "bin"), "entire"); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "walk-editor"), []byte(editor), 0o755); err != nil {
		return err
	}
	return makeTemplate()
}

func makeTemplate() error {
	root := filepath.Join(template, "entire")
	s := &side{root: root, env: environ(root)}
	top := s.dir(0)
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
	if err := s.all(steps); err != nil {
		return err
	}
	s.put(0, ".gitignore", file{"644", "*.log\n"})
	s.put(0, "debug.log", file{"644", "mine\n"})
	commit := []string{"git", "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m"}
	if err := s.all([][]string{{"git", "add", "-A"}, append(commit, "enable entire")}); err != nil {
		return err
	}
	for i, name := range names[:tracked] {
		text := ""
		for n := range 9 {
			text += fmt.Sprintf("base %d-%d of %s\n", i, n, name)
		}
		s.put(0, name, file{"644", text})
	}
	err := s.all([][]string{{"git", "add", "-A"}, append(commit, "first"),
		append(commit, "second", "--allow-empty"), append(commit, "third", "--allow-empty"),
		{"git", "worktree", "add", "-q", "-b", "side", "../wt"}, {"git", "clone", "-q", "--bare", "--single-branch", ".", "../remote.git"},
		{"git", "remote", "add", "origin", "../remote.git"}, {"git", "fetch", "-q", "origin", "main"}})
	if err != nil {
		return err
	}
	s.put(1, "debug.log", file{"644", "mine too\n"})
	return makeTwin(s)
}

func (s *side) all(steps [][]string) error {
	for _, args := range steps {
		if o, err := s.run(command{args: args}); err != nil || o.code != 0 {
			return fmt.Errorf("%v: %w %d %s", args, err, o.code, o.out)
		}
	}
	return nil
}

// makeTwin copies a side and takes entire out of the copy.
func makeTwin(s *side) error {
	root := filepath.Join(template, "plain")
	if err := os.CopyFS(root, os.DirFS(s.root)); err != nil {
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

// newSide copies a side of the template.
func newSide(dir, name string) (*side, error) {
	root := filepath.Join(dir, name)
	if err := os.CopyFS(root, os.DirFS(filepath.Join(template, name))); err != nil {
		return nil, err
	}
	err := filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, full)
		if err == nil && (rel == "wt/.git" || rel == "main/.git/worktrees/wt/gitdir") {
			data, err := os.ReadFile(full)
			if err == nil {
				err = os.WriteFile(full, []byte(strings.ReplaceAll(string(data), filepath.Join(template, "entire"), root)), 0o644)
			}
			return err
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s := &side{root: root, env: environ(root)}
	s.cat, err = startCatFile(s)
	return s, err
}
