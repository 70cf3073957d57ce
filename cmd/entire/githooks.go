package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"entire/hooks"
)

// hookOptions are how hook scripts are written in a worktree.
func (w *world) hookOptions(wp *workplace) hooks.Options {
	return hooks.Options{LocalDev: wp.settings.LocalDev, Program: w.ownPath()}
}

// ownPath is where this program can be found by a git that has another PATH, as
// in a graphical client. It is the name on PATH, which survives an upgrade, if
// that is this program; "" for a program in a temporary folder, which will not be
// there tomorrow.
func (w *world) ownPath() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	for _, dir := range filepath.SplitList(w.env("PATH")) {
		if path := filepath.Join(dir, "entire"); filepath.IsAbs(path) && sameFile(path, self) {
			self = path
			break
		}
	}
	if real, err := filepath.EvalSymlinks(self); err != nil || isTemporary(real) || isTemporary(self) {
		return ""
	}
	return self
}

func sameFile(a, b string) bool {
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

// installGitHooks puts the git hooks in place and tells what a person should
// know about it. done is false where they have to be installed by hand.
func (w *world) installGitHooks(ctx context.Context, wp *workplace) (done bool, err error) {
	target, err := hooks.Locate(ctx, wp.repo)
	if err != nil {
		return false, err
	}
	report, err := hooks.Install(ctx, target, w.hookOptions(wp))
	for _, name := range report.Chained {
		fmt.Fprintf(w.err, "[entire] Backed up existing %s to %s.pre-entire\n", name, name)
	}
	w.tell(report)
	return report.Instruct == "", err
}

// byHand is said last to somebody whose git hooks could not be installed.
const byHand = "Git hooks are not installed. Turns are kept; commits are not linked until you have\ndone what it says above.\n"

func (w *world) tell(report hooks.Report) {
	for _, warning := range report.Warnings {
		fmt.Fprintf(w.err, "warning: %s\n", warning)
	}
	if report.Instruct != "" {
		fmt.Fprintln(w.err, strings.TrimRight(report.Instruct, "\n"))
	}
}
