// Package testrepo makes real, hermetic git repositories for tests.
// Every repository is made by the git on PATH, in t.TempDir(). The package is for tests only; no
// production package imports it.
// It guarantees that repositories are independent of the machine: HOME, the global and the system
// configuration, all GIT_* variables, the locale and the time zone are fixed. No helper changes the
// process's directory or environment, so tests may run in parallel.
package testrepo

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The identity of commits in a test repository, unless a test sets another one by `git config` or
// GIT_AUTHOR_* variables.
const (
	UserName  = "Tess Ter"
	UserEmail = "tess@example.com"
)

// Repo is one worktree of a git repository.
type Repo struct {
	Dir  string   // absolute, symlinks resolved
	Home string   // git's HOME; contains .gitconfig
	Env  []string // git's complete environment; a test may append to it

	t testing.TB
}

// An Option changes how New creates a repository.
type Option func(*options)

type options struct {
	name        string
	unborn      bool
	sha256      bool
	separateDir bool
	files       map[string]string
}

// Unborn leaves main without a commit.
func Unborn() Option { return func(o *options) { o.unborn = true } }

// SHA256 makes a repository whose object IDs are SHA-256.
func SHA256() Option { return func(o *options) { o.sha256 = true } }

// SeparateGitDir puts the git directory next to the worktree, with a .git file that names it.
func SeparateGitDir() Option { return func(o *options) { o.separateDir = true } }

// Named sets the name of the worktree's directory; the default is "repo".
func Named(name string) Option { return func(o *options) { o.name = name } }

// Files sets the content of the first commit, by slash-separated path. Without
// it, the first commit holds README.md.
func Files(files map[string]string) Option { return func(o *options) { o.files = files } }

// New returns a repository with one commit on main, in a temporary directory that is removed after the
// test.
func New(t testing.TB, opts ...Option) *Repo {
	t.Helper()
	o := options{name: "repo", files: map[string]string{"README.md": "hello\n"}}
	for _, opt := range opts {
		opt(&o)
	}
	home := NewHome(t)
	r := &Repo{Dir: filepath.Join(tempDir(t), o.name), Home: home, Env: Environ(home), t: t}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		t.Fatalf("testrepo: %v", err)
	}
	args := []string{"init", "-q"}
	if o.sha256 {
		args = append(args, "--object-format=sha256")
	}
	if o.separateDir {
		args = append(args, "--separate-git-dir="+r.Dir+".git")
	}
	r.Git(args...)
	if !o.unborn {
		for path, content := range o.files {
			r.Write(path, content)
		}
		r.Commit("first")
	}
	return r
}

// In returns r in the subdirectory dir, which must exist when git runs.
func (r *Repo) In(dir string) *Repo {
	return &Repo{Dir: filepath.Join(r.Dir, filepath.FromSlash(dir)), Home: r.Home, Env: r.Env, t: r.t}
}

// Command returns a command that runs in r.Dir with r.Env.
func (r *Repo) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = r.Dir
	cmd.Env = append([]string(nil), r.Env...)
	return cmd
}

// Git runs git and returns its standard output without final newlines. The test ends if git fails.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	out, err := r.TryGit(args...)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// TryGit runs git like Git, but returns an error if it fails. The error wraps *exec.ExitError and
// contains git's standard error.
func (r *Repo) TryGit(args ...string) (string, error) {
	return r.run("", args)
}

// GitInput runs git like Git, with the given standard input.
func (r *Repo) GitInput(stdin string, args ...string) string {
	r.t.Helper()
	out, err := r.run(stdin, args)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func (r *Repo) run(stdin string, args []string) (string, error) {
	var stdout, stderr strings.Builder
	cmd := r.Command("git", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	out := strings.TrimRight(stdout.String(), "\r\n")
	if err != nil {
		return out, fmt.Errorf("git %s: %w\n%s%s", strings.Join(args, " "), err, stdout.String(), stderr.String())
	}
	return out, nil
}
