package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"entire/internal/testrepo"
)

func TestInvocationIsReadFromACommandLine(t *testing.T) {
	for _, row := range []struct {
		line    string
		command string
		args    string
		ok      bool
	}{
		{"git commit --amend -m x", "commit", "--amend -m x", true},
		{"/usr/bin/git -c a.b=c -C /tmp --no-pager commit -q", "commit", "-q", true},
		{"git --git-dir /x --work-tree=/y push origin", "push", "origin", true},
		{"C:/Git/cmd/GIT.EXE commit", "commit", "", true},
		{"/usr/lib/git-core/git-commit -m x", "commit", "-m x", true},
		{"git hook run post-commit", "", "", false},
		{"/usr/lib/git-core/git-hook run post-commit", "hook", "run post-commit", false},
		{"git", "", "", false},
		{"/bin/sh .git/hooks/prepare-commit-msg f message", "", "", false},
		{"lefthook run prepare-commit-msg", "", "", false},
	} {
		in, ok := parseInvocation(strings.Fields(row.line))
		if ok != row.ok || in.Command != row.command || strings.Join(in.Args, " ") != row.args {
			t.Errorf("%s: %+v, %v", row.line, in, ok)
		}
	}
}

func TestLooksLikeGit(t *testing.T) {
	for line, want := range map[string]bool{
		"git commit -m x": true, "/usr/bin/git.real commit": true, "/bin/bash /usr/local/bin/git-wrapper commit": true, "/nix/store/x/.git-wrapped commit": true,
		"git rebase -i": true, "/usr/lib/git-core/git-merge x": true,
		"git citool": false, "git gui": false, "wish /usr/lib/git-core/git-citool --": false, "/usr/lib/git-core/git-hook run prepare-commit-msg": false,
		"git hook run post-commit": false, "java -jar ide.jar": false, "python3 commit.py": false, "sh .git/hooks/post-commit": false,
	} {
		if got := looksLikeGit(strings.Fields(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

func TestInvocationHas(t *testing.T) {
	for _, row := range []struct {
		line  string
		amend bool
	}{
		{"commit --amend", true},
		{"commit --am -m x", true},
		{"commit -m --amend", false},
		{"commit -am --amend", false},
		{"commit -amx --amend", true},
		{"commit --message --amend", false},
		{"commit --message=--amend", false},
		{"commit -- --amend", false},
		{"commit --amend --no-amend", false},
		{"commit --all", false},
		{"commit --a", false},
		{"commit --no-edit --amend x", true},
	} {
		words := strings.Fields(row.line)
		if got := (Invocation{words[0], words[1:]}).Has("--amend", 0); got != row.amend {
			t.Errorf("git %s: amends %v", row.line, got)
		}
	}
	for line, dry := range map[string]bool{"push -n": true, "push -nf origin": true, "push --dry-run": true, "push -o n": false, "push -on": false, "push --no-verify": false, "push origin": false} {
		words := strings.Fields(line)
		if got := (Invocation{words[0], words[1:]}).Has("--dry-run", 'n'); got != dry {
			t.Errorf("git %s: dry %v", line, got)
		}
	}
}

func TestInvocationExpandsAliases(t *testing.T) {
	aliases := map[string]string{"ca": `commit --amend`, "caa": `ca -m "two words" it\'s`, "loop": "loop", "sh": "!git commit"}
	alias := func(name string) string { return aliases[name] }
	got := Invocation{"caa", []string{"-q"}}.Expand(alias)
	if diff := cmp.Diff(Invocation{"commit", []string{"--amend", "-m", "two words", "it's", "-q"}}, got); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"loop", "sh", "unknown"} {
		if got := (Invocation{Command: name}).Expand(alias); got.Command != name {
			t.Errorf("%s became %+v", name, got)
		}
	}
}

// A hook below git, below a shell, sees git's command line.
func TestInvocationAboveAHook(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		if _, ok := InvocationAbove(os.Getpid()); ok {
			t.Error("a command line appeared")
		}
		return
	}
	if os.Getenv("INVOCATION_TEST_HOOK") != "" {
		in, ok := InvocationAbove(os.Getppid())
		if !ok || in.Command != "commit" || !in.Has("--amend", 0) {
			t.Fatalf("above the hook: %+v, %v", in, ok)
		}
		return
	}
	t.Parallel()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	hook := "#!/bin/sh\nINVOCATION_TEST_HOOK=1 sh -c '\"$0\" -test.run=^TestInvocationAboveAHook$; exit $?' '" + self + "'\n"
	run := func(args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, testrepo.Environ(t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q")
	run("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x", "--allow-empty")
	testrepo.WriteScript(t, filepath.Join(dir, ".git/hooks/prepare-commit-msg"), hook)
	run("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--amend", "-m", "y", "--allow-empty")
}

func FuzzInvocation(f *testing.F) {
	f.Add("git commit -am --amend", `commit "a b" \`)
	f.Fuzz(func(t *testing.T, line, alias string) {
		in, _ := parseInvocation(strings.Fields(line))
		in = in.Expand(func(string) string { return alias })
		in.Has("--amend", 'a')
	})
}

func TestShowsMessage(t *testing.T) {
	for line, want := range map[string]bool{
		"git gui": true, "git citool": true, "wish /usr/lib/git-core/git-citool --": true, "/usr/lib/git-core/git-gui": true,
		"git commit": false, "sh .git/hooks/prepare-commit-msg x": false, "python3 commit.py": false, "entire hooks git prepare-commit-msg x": false,
	} {
		if got := showsMessage(strings.Fields(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
