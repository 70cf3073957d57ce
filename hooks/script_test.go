package hooks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"entire/hooks"
	"entire/internal/testrepo"
)

// shells returns the POSIX shells of this machine; sh is always one.
func shells() [][]string {
	found := [][]string{{"sh"}, {"sh", "-e"}}
	for _, shell := range [][]string{{"bash", "--posix"}, {"bash", "-e"}, {"busybox", "sh"}, {"zsh", "--emulate", "sh"}} {
		if _, err := exec.LookPath(shell[0]); err == nil {
			found = append(found, shell)
		}
	}
	return found
}

func TestCommitMsgCallsTheToolOnlyInDoubt(t *testing.T) {
	t.Parallel()
	const trailer = "Entire-Checkpoint: a3b2c4d5e6f7\n"
	const template = "# Please enter the commit message for your changes. Lines starting\n# with '#' will be ignored\n"
	for _, row := range []struct {
		name, message string
		called        bool
	}{
		{"text alone", "fix it\n", false},
		{"text and trailer", "fix it\n\n" + trailer, false},
		{"trailer and text", trailer + "\nfix it\n", false},
		{"nothing", "", false},
		{"comments alone", "\n" + template, false},
		{"trailer alone", "\n" + trailer, true},
		{"trailer without newline", strings.TrimSuffix(trailer, "\n"), true},
		{"trailer and comments", "\n" + trailer + template, true},
		{"CRLF", strings.ReplaceAll("\n"+trailer+template, "\n", "\r\n"), true},
		{"CRLF text", strings.ReplaceAll("fix it\n\n"+trailer, "\n", "\r\n"), false},
		{"own comment character", "\n" + trailer + strings.ReplaceAll(template, "#", ";"), true},
		{"own comment string", "\n" + trailer + strings.ReplaceAll(template, "#", "//"), true},
		{"perhaps a comment, perhaps text", "#123\n\n" + trailer, true},
		{"not ASCII", "修正\n\n" + trailer, true},
		{"the agent's name alone", "\n\nAssisted-by: a:b\n" + trailer, true},
		{"sign-off alone", "\nSigned-off-by: A <a@b>\n" + trailer, true},
		{"text after the scissors", "\n" + trailer + "# ------------------------ >8 ------------------------\ndiff --git a/a b/a\n", true},
		{"text before the scissors", "fix\n" + trailer + "# ------------------------ >8 ------------------------\ndiff\n", false},
		{"backslashes", "\\n\\c\n" + trailer, true},
		{"long", strings.Repeat("# a line\n", 1000) + "fix it\n", true},
	} {
		for _, shell := range shells() {
			t.Run(row.name+" in "+strings.Join(shell, " "), func(t *testing.T) {
				t.Parallel()
				p := newPlace(t, testrepo.New(t, testrepo.Unborn(), testrepo.Named("a 'b' \"c\"")))
				p.install(hooks.Options{})
				p.Write("the message", row.message)
				cmd := p.Command(shell[0], append(shell[1:], filepath.Join(p.target.Dir, "commit-msg"), "the message")...)
				if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
					t.Fatalf("%v, output %s", err, out)
				}
				if got := p.calls(); (got != "") != row.called {
					t.Errorf("calls: %q, want one: %v", got, row.called)
				}
			})
		}
	}
}

func TestEmptyMessageStillAborts(t *testing.T) {
	t.Parallel()
	p := newPlace(t, testrepo.New(t))
	p.install(hooks.Options{})
	p.Write("message", "\n\nEntire-Checkpoint: a3b2c4d5e6f7\n")
	if out, err := p.TryGit("commit", "--allow-empty", "-F", "message"); err == nil {
		t.Errorf("committed: %s", out)
	}
}

func TestScriptsParseInEveryShell(t *testing.T) {
	t.Parallel()
	for _, shell := range shells() {
		for _, name := range hooks.Names() {
			for _, opts := range []hooks.Options{{}, {LocalDev: true}} {
				cmd := exec.Command(shell[0], append(shell[1:], "-n")...)
				cmd.Stdin, cmd.Env = strings.NewReader(hooks.Render(name, opts)), append(os.Environ(), "LC_ALL=C") // bash warns of a language that it lacks
				if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
					t.Errorf("%v -n %s %+v: %v %s", shell, name, opts, err, out)
				}
			}
		}
	}
}

// The lines are read by other tools, and by people who copy them.
func TestCommandsAreTheContracts(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"prepare-commit-msg": `entire hooks git prepare-commit-msg "$1" "$2" 2>/dev/null || true`,
		"commit-msg":         `entire hooks git commit-msg "$1" 2>/dev/null || true`,
		"post-commit":        `entire hooks git post-commit 2>/dev/null || true`,
		"pre-push":           `entire hooks git pre-push "$1" || true`,
	} {
		script := hooks.Render(name, hooks.Options{})
		if !strings.Contains(script, "\t"+want+"\n") || !strings.HasPrefix(script, "#!/bin/sh\n# Entire CLI hooks\n") {
			t.Errorf("%s:\n%s", name, script)
		}
		dev := strings.Replace(want, "entire ", "go run ./cmd/entire ", 1)
		if script := hooks.Render(name, hooks.Options{LocalDev: true}); !strings.Contains(script, "\t"+dev+"\n") {
			t.Errorf("%s:\n%s", name, script)
		}
	}
}
