package hooks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/hooks"
	"entire/internal/testrepo"
)

// Wherever git looks, there the hooks are: a commit in the worktree calls us.
func TestInstalledWhereGitLooks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		repo func(t *testing.T) *testrepo.Repo
		dir  string // of the hooks, as git names it from the worktree; "" for any
	}{
		{"plain", func(t *testing.T) *testrepo.Repo { return testrepo.New(t) }, ".git/hooks"},
		{"subdirectory", func(t *testing.T) *testrepo.Repo {
			r := testrepo.New(t)
			r.Write("a/b/c", "")
			return r.In("a/b")
		}, ""},
		{"odd name", func(t *testing.T) *testrepo.Repo { return testrepo.New(t, testrepo.Named("a 'b' \"c\" $d\n`e`")) }, ".git/hooks"},
		{"linked worktree", func(t *testing.T) *testrepo.Repo { return testrepo.New(t).Worktree("side") }, ""},
		{"submodule", func(t *testing.T) *testrepo.Repo { return testrepo.New(t).Submodule("lib") }, ""},
		{"separate git dir", func(t *testing.T) *testrepo.Repo { return testrepo.New(t, testrepo.SeparateGitDir()) }, ""},
		{"SHA-256", func(t *testing.T) *testrepo.Repo { return testrepo.New(t, testrepo.SHA256()) }, ".git/hooks"},
		{"no hooks directory", func(t *testing.T) *testrepo.Repo {
			r := testrepo.New(t)
			r.Remove(".git/hooks")
			return r
		}, ".git/hooks"},
		{"core.hooksPath", func(t *testing.T) *testrepo.Repo {
			r := testrepo.New(t)
			r.Git("config", "core.hooksPath", "my hooks")
			return r
		}, "my hooks"},
		{"core.hooksPath in a linked worktree", func(t *testing.T) *testrepo.Repo {
			r := testrepo.New(t)
			r.Git("config", "core.hooksPath", ".githooks")
			return r.Worktree("side")
		}, ".githooks"},
		{"the main worktree's from a linked one", func(t *testing.T) *testrepo.Repo {
			r := testrepo.New(t)
			r.Git("config", "core.hooksPath", r.Path(".githooks"))
			return r.Worktree("side")
		}, ""},
		{"a link", func(t *testing.T) *testrepo.Repo {
			r := testrepo.New(t)
			r.Write("githooks/keep", "")
			r.Remove(".git/hooks")
			r.Symlink("../githooks", ".git/hooks")
			return r
		}, "githooks"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, row.repo(t))
			report := p.install(hooks.Options{})
			if got := p.state(); got != hooks.All || report.Instruct != "" {
				t.Fatalf("state %s, report %+v", got, report)
			}
			if row.dir != "" && !p.Exists(row.dir+"/post-commit") {
				t.Errorf("no hook in %s", row.dir)
			}
			p.Git("commit", "-q", "--allow-empty", "-m", "work")
			if got := p.calls(); strings.Count(got, "\n") != 2 {
				t.Errorf("calls: %q", got)
			}
			p.uninstall()
			if got := p.state(); got != hooks.None {
				t.Errorf("state %s", got)
			}
		})
	}
}

// A directory that other repositories share is not ours to change.
func TestSharedDirectoryIsLeftAlone(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	dir := filepath.Join(p.Home, "githooks")
	p.Git("config", "--global", "core.hooksPath", dir)
	write(t, filepath.Join(dir, "post-commit"), "#!/bin/sh\n", 0o755)
	p.locate()
	report := p.install(hooks.Options{})
	for _, name := range hooks.Names() {
		if !strings.Contains(report.Instruct, "entire hooks git "+name) {
			t.Errorf("no instruction for %s: %s", name, report.Instruct)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || p.state() != hooks.Foreign {
		t.Errorf("directory: %v, %v, state %s", entries, err, p.state())
	}

	follow(t, report.Instruct, dir)
	if got := p.state(); got != hooks.All {
		t.Errorf("state after following the instructions: %s", got)
	}
	if report := p.install(hooks.Options{}); report.Instruct != "" {
		t.Errorf("still: %s", report.Instruct)
	}
	p.Commit("work")
	checkLines(t, p.calls(), []string{"entire [hooks] [git] [prepare", "entire [hooks] [git] [commit-msg]", "entire [hooks] [git] [post"})
	p.uninstall()
	if got := p.state(); got != hooks.All {
		t.Errorf("a hook of the user's was taken out: %s", got)
	}
}

// follow does what the instructions say.
func follow(t *testing.T, instructions, dir string) {
	t.Helper()
	for line := range strings.Lines(instructions) {
		name, command, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && strings.HasPrefix(command, "entire ") {
			write(t, filepath.Join(dir, name), "#!/bin/sh\n"+command+"\n", 0o755)
		}
	}
}

func TestHooksSwitchedOff(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	p.Git("config", "core.hooksPath", os.DevNull)
	p.locate()
	report := p.install(hooks.Options{})
	if p.state() != hooks.Foreign || !strings.Contains(report.Instruct, "git runs no hooks here") {
		t.Errorf("state %s, report %+v", p.state(), report)
	}
	_, way, _ := strings.Cut(report.Instruct, "\n  ")
	if out, err := p.Command("sh", "-c", way).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	p.locate()
	p.install(hooks.Options{})
	if got := p.state(); got != hooks.All {
		t.Errorf("state after following the instructions: %s", got)
	}
}

// husky 9 runs stubs in .husky/_ that find the user's hook by their own name, and
// writes them again at every install of the project's packages.
func TestHusky(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	p.Git("config", "core.hooksPath", ".husky/_")
	p.locate()
	p.Write(".husky/_/h", "n=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n[ ! -f \"$s\" ] && exit 0\nsh -e \"$s\" \"$@\"\nexit $?\n")
	p.Write(".husky/commit-msg", "echo \"user [$1]\" >>\"$ENTIRE_TEST_LOG\"\nexit 4\n")
	stubs := func() {
		for _, name := range hooks.Names() {
			p.hook(name, "#!/usr/bin/env sh\n. \"${0%/*}/h\"", 0o755)
		}
	}
	stubs()
	if got := hooks.Detect(p.target); got != hooks.Husky {
		t.Errorf("manager %q", got)
	}
	for range 2 {
		p.install(hooks.Options{})
		if _, err := p.TryGit("commit", "-q", "--allow-empty", "-m", "work"); err == nil {
			t.Error("husky's status was lost")
		}
		checkLines(t, p.calls(), []string{"entire [hooks] [git] [prepare", "user [.git/COMMIT_EDITMSG]"})
		stubs()
	}

	for _, name := range hooks.Names() {
		p.Write(".husky/"+name, "entire hooks git "+name+" \"$@\"\n")
	}
	if report := p.install(hooks.Options{}); p.state() != hooks.All || len(report.Written) > 0 {
		t.Errorf("hooks that call us by themselves: state %s, report %+v", p.state(), report)
	}
}

// pre-commit moves our hook to commit-msg.legacy and runs it from there.
func TestPreCommitInstalledAfterUs(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	p.hook(hooks.PostCommit, logging("older", "0"), 0o755)
	p.install(hooks.Options{})
	if err := os.Rename(p.Path(".git/hooks/post-commit"), p.Path(".git/hooks/post-commit.legacy")); err != nil {
		t.Fatal(err)
	}
	const stub = "#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\n\"$(dirname \"$0\")/post-commit.legacy\" \"$@\"\n"
	p.hook(hooks.PostCommit, stub, 0o755)
	if report := p.install(hooks.Options{}); p.state() != hooks.All || len(report.Written) > 0 {
		t.Errorf("state %s, report %+v", p.state(), report)
	}
	p.Commit("work")
	checkLines(t, p.calls(), []string{"entire [hooks] [git] [prepare", "entire [hooks] [git] [post", "older"})
	p.uninstall()
	if p.Read(".git/hooks/post-commit") != stub || p.Read(".git/hooks/post-commit.legacy") != logging("older", "0") {
		t.Error("not as pre-commit would have left it")
	}
}
