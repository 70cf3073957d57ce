package histories

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

// Main runs the tests of an oracle. prepare gets a folder that lasts as long as they do; below it, bin has the program
// under test.
func Main(m *testing.M, prepare func(dir string)) {
	if _, err := os.Stat("/dev/shm"); err == nil && os.Getenv("TMPDIR") == "" {
		os.Setenv("TMPDIR", "/dev/shm")
	}
	code, dir := 1, ""
	failed := Guard(func() {
		var err error
		dir, err = os.MkdirTemp("", "histories-")
		Check("setup", err)
		bin := filepath.Join(dir, "bin")
		Check("setup", testrepo.BuildInto(bin, "entire"))
		Check("setup", os.WriteFile(filepath.Join(bin, "walk-editor"), []byte(editor), 0o755))
		prepare(dir)
	})
	if failed != nil {
		fmt.Fprintln(os.Stderr, failed)
	} else {
		code = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// editor is what EDITOR of a person at work does with a message: it writes one above what is there, and may take our
// trailer out.
const editor = `#!/bin/sh
{ [ -z "$WALK_SUBJECT" ] || printf '%s\n' "$WALK_SUBJECT"
  if [ -n "$WALK_UNLINK" ]; then grep -v '^Entire-Checkpoint: ' "$1"; else cat "$1"; fi; } >"$1.walk"
cat "$1.walk" >"$1"
rm "$1.walk"
`

const gitconfig = `[user]
	name = Tess Ter
	email = tess@example.com
[init]
	defaultBranch = main
[gc]
	auto = 0
	reflogExpire = never
	reflogExpireUnreachable = never
[maintenance]
	auto = false
[core]
	fsync = none
[advice]
	detachedHead = false
[commit]
	verbose = false
[rerere]
	enabled = false
`

// NewRepo returns the repository with some worktrees in a folder, where programs of bin are found first.
func NewRepo(root, bin string, trees ...string) *Repo {
	r := &Repo{Root: root, Trees: trees, Env: testrepo.Environ(filepath.Join(root, "home"))}
	for i, entry := range r.Env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			r.Env[i] = "PATH=" + bin + string(os.PathListSeparator) + value
		}
	}
	r.Env = append(r.Env, "ENTIRE_TEST_TTY=0")
	return r
}

// Init makes the repository, and its home.
func (r *Repo) Init() {
	Put(r.Root, "home/.gitconfig", File{"644", gitconfig})
	Check("setup", os.MkdirAll(r.Dir(0), 0o755))
	r.Git(0, "init", "-q", "--template=")
}

// Must runs a program that must succeed.
func (r *Repo) Must(args ...string) {
	if o := r.Run(Command{Args: args}); o.Code != 0 {
		Fail("setup", "%q: %s", args, o.Out)
	}
}
