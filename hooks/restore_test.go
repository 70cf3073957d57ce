package hooks_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"entire/hooks"
	"entire/internal/testrepo"
)

// Whatever is in the directory, installing and uninstalling leaves it as it was.
func TestUninstallRestoresByteForByte(t *testing.T) {
	t.Parallel()
	repo := testrepo.New(t)
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(repo.Dir+"/.git", "case")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		drawHooks(rt, dir)
		before := hooksIn(repo, dir)

		target := hooks.Target{Dir: dir, Top: repo.Dir, CommonDir: repo.Path(".git")}
		for range rapid.IntRange(1, 3).Draw(rt, "installs") {
			opts := hooks.Options{LocalDev: rapid.Bool().Draw(rt, "dev"), Program: rapid.SampledFrom([]string{"", "/opt/entire"}).Draw(rt, "program")}
			if _, err := hooks.Install(t.Context(), target, opts); err != nil {
				rt.Fatal(err)
			}
		}
		if _, err := hooks.Uninstall(t.Context(), target); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(before, hooksIn(repo, dir)); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// drawHooks fills dir with managed and other hooks of every kind.
func drawHooks(rt *rapid.T, dir string) {
	contents := rapid.OneOf(
		rapid.SampledFrom([]string{
			"", "#!/bin/sh\n", "#!/bin/sh\nexec lefthook run commit-msg\n", "#!/bin/sh\n. \"${0%/*}/h\"",
			"#!/usr/bin/env ruby\nFile.basename($0)\n", "#!/bin/bash\nbasename \"$0\"\n", "entire hooks git post-commit\n",
			strings.Repeat("long\n", 1<<14),
		}),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(data []byte) string { return string(data) }),
	)
	for _, name := range append(hooks.Names(), "pre-commit", "commit-msg.sample", "commit-msg.pre-entire.bak") {
		path := filepath.Join(dir, name)
		var err error
		switch rapid.SampledFrom([]string{"none", "file", "link", "dangling"}).Draw(rt, name) {
		case "file":
			mode := rapid.SampledFrom([]os.FileMode{0o755, 0o644, 0o700, 0o600, 0o777}).Draw(rt, "mode")
			if err = os.WriteFile(path, []byte(contents.Draw(rt, "content")), mode); err == nil {
				err = os.Chmod(path, mode)
			}
		case "link":
			err = os.Symlink("../hooks/update.sample", path)
		case "dangling":
			err = os.Symlink("no/such", path)
		}
		if err != nil {
			rt.Fatal(err)
		}
	}
}

// hooksIn returns the files in dir, without the times of links: a link put back is
// a new one.
func hooksIn(repo *testrepo.Repo, dir string) testrepo.Tree {
	tree := repo.In(strings.TrimPrefix(dir, repo.Dir)).Snapshot()
	for path, file := range tree {
		if file.Mode&os.ModeSymlink != 0 {
			file.ModTime = time.Time{}
			tree[path] = file
		}
	}
	return tree
}

// A crash between setting aside and writing leaves the hook under both names.
func TestInterruptedInstallIsFinishedAndUndone(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		finish bool
	}{{"finished", true}, {"undone", false}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, testrepo.New(t))
			foreign := logging("foreign", "0")
			p.hook(hooks.PostCommit, foreign, 0o755)
			if err := os.Link(p.Path(".git/hooks/post-commit"), p.Path(".git/hooks/post-commit.pre-entire")); err != nil {
				t.Fatal(err)
			}
			if row.finish {
				p.install(hooks.Options{})
				p.Commit("work")
				checkLines(t, p.calls(), []string{"entire [hooks] [git] [prepare", "entire [hooks] [git] [post", "foreign"})
			}
			if report := p.uninstall(); len(report.Warnings) > 0 {
				t.Errorf("report %+v", report)
			}
			if p.Read(".git/hooks/post-commit") != foreign || p.Exists(".git/hooks/post-commit.pre-entire") {
				t.Error("not as before")
			}
		})
	}
}

const installHere = "ENTIRE_TEST_INSTALL_IN"

// TestMain lets the test binary stand for a process that installs.
func TestMain(m *testing.M) {
	if top := os.Getenv(installHere); top != "" {
		common := filepath.Join(top, ".git")
		target := hooks.Target{Dir: filepath.Join(common, "hooks"), Top: top, CommonDir: common}
		if _, err := hooks.Install(context.Background(), target, hooks.Options{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestProcessesInstallAtOnce(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		p := newPlace(t, testrepo.New(t))
		for _, name := range hooks.Names() {
			p.hook(name, logging("foreign-"+name, "0"), 0o755)
		}
		before := hooksIn(p.Repo, p.target.Dir)
		var running []*exec.Cmd
		for range 8 {
			cmd := p.Command(self)
			cmd.Env = append(cmd.Env, installHere+"="+p.Dir)
			cmd.Stderr = os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			running = append(running, cmd)
		}
		for _, cmd := range running {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		}
		if got := p.state(); got != hooks.All {
			t.Errorf("state %s", got)
		}
		p.uninstall()
		if diff := cmp.Diff(before, hooksIn(p.Repo, p.target.Dir)); diff != "" {
			t.Error(diff)
		}
	}
}
