package workplace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"entire/hooks"
	"entire/internal/cli/cliui"
)

// HookOptions returns how hook scripts are written in a worktree.
func HookOptions(env *cliui.Env, wp *Workplace) hooks.Options {
	return hooks.Options{LocalDev: wp.Settings.LocalDev, Program: ownPath(env)}
}

// ownPath returns the path of this program for a git with another PATH, as in a graphical client.
// It prefers the name on PATH, which survives an upgrade; it returns "" for a program in a
// temporary folder, which will not last.
func ownPath(env *cliui.Env) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	for _, dir := range filepath.SplitList(env.Getenv("PATH")) {
		if path := filepath.Join(dir, "entire"); filepath.IsAbs(path) && SameFile(path, self) {
			self = path
			break
		}
	}
	if real, err := filepath.EvalSymlinks(self); err != nil || isTemporary(real) || isTemporary(self) {
		return ""
	}
	return self
}

// HooksFindProgram returns why git's hooks do not find this program where PATH lacks it, as in a login
// shell of an agent; "" if they do, or if the program's place cannot be recorded.
func HooksFindProgram(env *cliui.Env, wp *Workplace, target hooks.Target) string {
	if HookOptions(env, wp).Program == "" || wp.Settings.LocalDev || !hooks.Present(target) {
		return ""
	}
	name, there := hooks.Recorded(target)
	switch {
	case there:
		return ""
	case name == "":
		return "git's hooks do not know where entire is: commits from a shell without it on PATH are not linked"
	}
	return fmt.Sprintf("git's hooks look for entire at %s, which is gone: commits from a shell without it on PATH are not linked", cliui.OneLine(name))
}

// SameFile reports whether two paths lead to one file or folder.
func SameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

func isTemporary(path string) bool {
	rel, err := filepath.Rel(os.TempDir(), path)
	return err == nil && filepath.IsLocal(rel)
}

// InstallGitHooks installs the git hooks and prints warnings about them. done is false if a
// person has to install them.
func InstallGitHooks(ctx context.Context, env *cliui.Env, wp *Workplace) (done bool, err error) {
	target, err := hooks.Locate(ctx, wp.Repo)
	if err != nil {
		return false, err
	}
	report, err := hooks.Install(ctx, target, HookOptions(env, wp))
	for _, name := range report.Chained {
		fmt.Fprintf(env.Err, "[entire] Backed up existing %s to %s.pre-entire\n", name, name)
	}
	TellHooks(env, report)
	return report.Instruct == "", err
}

// HooksByHand is the last text for a person who has to install the git hooks.
const HooksByHand = "Git hooks are not installed. Turns are kept; commits are not linked until you\nhave followed the instructions above.\n"

func TellHooks(env *cliui.Env, report hooks.Report) {
	for _, warning := range report.Warnings {
		fmt.Fprintf(env.Err, "warning: %s\n", warning)
	}
	if report.Instruct != "" {
		fmt.Fprintln(env.Err, strings.TrimRight(report.Instruct, "\n"))
	}
}
