package hooks_test

import (
	"os"
	"strings"
	"testing"

	"entire/hooks"
	"entire/internal/testrepo"
)

// logging returns a foreign hook that logs its name, arguments and standard
// input, then ends with status.
func logging(label, status string) string {
	return `#!/bin/sh
{ printf '` + label + `'; for arg; do printf ' [%s]' "$arg"; done; printf ' '; if [ ! -t 0 ]; then tr '\n' ';'; fi; echo; } >>"$ENTIRE_TEST_LOG"
exit ` + status + "\n"
}

func TestForeignHooksAreChained(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	remote := p.Clone("--bare").Dir
	p.Git("remote", "add", "there", remote)
	for _, name := range hooks.Names() {
		p.hook(name, logging("foreign-"+name, "0"), 0o755)
	}
	if report := p.install(hooks.Options{}); len(report.Chained) != 4 {
		t.Errorf("chained %v", report.Chained)
	}
	p.Commit("work")
	want := []string{
		"foreign-prepare-commit-msg [.git/COMMIT_EDITMSG] [message]",
		"entire [hooks] [git] [prepare-commit-msg]",
		"foreign-commit-msg [.git/COMMIT_EDITMSG]",
		"entire [hooks] [git] [post-commit]",
		"foreign-post-commit",
	}
	checkLines(t, p.calls(), want)
	p.Git("push", "-q", "there", "main")
	refs := "refs/heads/main " + p.Head() + " refs/heads/main "
	checkLines(t, p.calls(), []string{
		"foreign-pre-push [there] [" + remote + "] " + refs,
		"entire [hooks] [git] [pre-push] [there] url=" + remote + " stdin=" + refs,
	})
	p.Git("push", "-q", "there", "main")
	checkLines(t, p.calls(), []string{
		"foreign-pre-push [there] [" + remote + "] ",
		"entire [hooks] [git] [pre-push] [there] url=" + remote + " stdin=",
	})
}

func checkLines(t *testing.T, log string, prefixes []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(log, "\n"), "\n")
	if len(lines) != len(prefixes) {
		t.Fatalf("log:\n%swant %d lines", log, len(prefixes))
	}
	for i, prefix := range prefixes {
		if !strings.HasPrefix(lines[i], prefix) {
			t.Errorf("line %d is %q, want %q", i, lines[i], prefix)
		}
	}
}

func TestForeignFailureFailsGitAsBefore(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		fails   bool
		weFirst bool
	}{
		{hooks.PrepareCommitMsg, true, false},
		{hooks.CommitMsg, true, true},
		{hooks.PostCommit, false, true},
		{hooks.PrePush, true, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, testrepo.New(t))
			p.Git("remote", "add", "there", p.Clone("--bare").Dir)
			p.hook(row.name, logging("foreign", "7"), 0o755)
			p.install(hooks.Options{})
			_, err := p.TryGit("commit", "-q", "--allow-empty", "-m", "work")
			if row.name == hooks.PrePush {
				_, err = p.TryGit("push", "-q", "there", "main")
			}
			if (err != nil) != row.fails {
				t.Errorf("git: %v", err)
			}
			log := p.calls()
			if !strings.Contains(log, "foreign") {
				t.Errorf("the foreign hook did not run: %q", log)
			}
			if called := strings.Contains(log, "[git] ["+row.name+"]"); called && !row.weFirst {
				t.Errorf("we ran after a refusal: %q", log)
			}
		})
	}
}

func TestHookThatGitIgnoresIsIgnored(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	p.hook(hooks.CommitMsg, logging("foreign", "1"), 0o644)
	p.install(hooks.Options{})
	p.Commit("work")
	if got := p.calls(); strings.Contains(got, "foreign") {
		t.Errorf("calls: %q", got)
	}
	p.uninstall()
	if info, err := os.Stat(p.Path(".git/hooks/commit-msg")); err != nil || info.Mode() != 0o644 {
		t.Errorf("restored as %v, %v", info.Mode(), err)
	}
}

// A dispatcher is one script under several names; husky's stubs are such.
func TestDispatchersKeepTheirName(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"#!/bin/sh", "#!/usr/bin/env sh", "#!/bin/bash -e", "#! /bin/sh"} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, testrepo.New(t))
			write(t, p.Path("tools/dispatch"), first+"\necho \"$(basename \"$0\") [$1] in $(basename \"$(dirname \"$0\")\")\" >>\"$ENTIRE_TEST_LOG\"\nexit 5\n", 0o755)
			p.Symlink("../../tools/dispatch", ".git/hooks/commit-msg")
			p.install(hooks.Options{})
			if _, err := p.TryGit("commit", "-q", "--allow-empty", "-m", "work"); err == nil {
				t.Error("the dispatcher's status was lost")
			}
			if got := p.calls(); !strings.Contains(got, "commit-msg [.git/COMMIT_EDITMSG] in hooks\n") {
				t.Errorf("calls: %q", got)
			}
			p.uninstall()
			if target, err := os.Readlink(p.Path(".git/hooks/commit-msg")); err != nil || target != "../../tools/dispatch" {
				t.Errorf("restored as %q, %v", target, err)
			}
		})
	}
}

func TestHookThatCannotBeRenamedIsLeftAlone(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	const overcommit = "#!/usr/bin/env ruby\n# Entrypoint for Overcommit\nhook_type = File.basename($0)\n"
	p.hook(hooks.CommitMsg, overcommit, 0o755)
	report := p.install(hooks.Options{})
	if p.Read(".git/hooks/commit-msg") != overcommit || !strings.Contains(report.Instruct, `entire hooks git commit-msg "$1"`) {
		t.Errorf("report %+v", report)
	}
	if got := p.state(); got != hooks.Partial {
		t.Errorf("state %s", got)
	}
	if got := hooks.Detect(p.target); got != hooks.Overcommit {
		t.Errorf("manager %q", got)
	}
}

// D36: a hook that appears over ours later is kept too, and both run.
func TestSecondForeignHookIsChainedToo(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	older, younger := logging("older", "0"), logging("younger", "0")
	p.hook(hooks.PostCommit, older, 0o755)
	p.install(hooks.Options{})
	p.hook(hooks.PostCommit, younger, 0o750)
	if got := p.state(); got != hooks.Partial {
		t.Errorf("state %s", got)
	}
	p.install(hooks.Options{})
	p.Commit("work")
	checkLines(t, p.calls(), []string{"entire [hooks] [git] [prepare", "entire [hooks] [git] [post", "older", "younger"})
	report := p.uninstall()
	if got := p.Read(".git/hooks/post-commit"); got != younger {
		t.Errorf("restored %q", got)
	}
	if got := p.Read(".git/hooks/post-commit.pre-entire"); got != older || len(report.Warnings) != 1 {
		t.Errorf("kept %q, report %+v", got, report)
	}
}

func TestHookWrittenAgainIsNotChainedTwice(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, first, second string }{
		{"the same", logging("foreign", "0"), logging("foreign", "0")},
		{"a manager's new version", logging("old", "0") + "# lefthook run\n", logging("foreign", "0") + "# lefthook run\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, testrepo.New(t))
			p.hook(hooks.PostCommit, row.first, 0o755)
			p.install(hooks.Options{})
			p.hook(hooks.PostCommit, row.second, 0o755)
			p.install(hooks.Options{})
			p.Commit("work")
			checkLines(t, p.calls(), []string{"entire [hooks] [git] [prepare", "entire [hooks] [git] [post", "foreign"})
			p.uninstall()
			if got := p.Read(".git/hooks/post-commit"); got != row.second {
				t.Errorf("restored %q", got)
			}
		})
	}
}

func TestUninstallLeavesAHookThatTookOurPlace(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	p.hook(hooks.PostCommit, "#!/bin/sh\n# a\n", 0o755)
	p.install(hooks.Options{})
	p.hook(hooks.PostCommit, "#!/bin/sh\n# b\n", 0o755)
	report := p.uninstall()
	if p.Read(".git/hooks/post-commit") != "#!/bin/sh\n# b\n" || p.Read(".git/hooks/post-commit.pre-entire") != "#!/bin/sh\n# a\n" {
		t.Error("a foreign hook was changed")
	}
	if len(report.Warnings) != 1 {
		t.Errorf("report %+v", report)
	}
}
