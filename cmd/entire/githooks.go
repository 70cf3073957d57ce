package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"entire/hooks"
)

// hookOptions returns how hook scripts are written in a worktree.
func (w *world) hookOptions(wp *workplace) hooks.Options {
	return hooks.Options{LocalDev: wp.settings.LocalDev, Program: w.ownPath()}
}

// ownPath returns the path of this program for a git with another PATH, as in a graphical client.
// It prefers the name on PATH, which survives an upgrade; it returns "" for a program in a
// temporary folder, which will not last.
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

// installGitHooks installs the git hooks and prints warnings about them. done is false if a
// person has to install them.
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

// byHand is the last text for a person who has to install the git hooks.
const byHand = "Git hooks are not installed. Turns are kept; commits are not linked until you\nhave followed the instructions above.\n"

func (w *world) tell(report hooks.Report) {
	for _, warning := range report.Warnings {
		fmt.Fprintf(w.err, "warning: %s\n", warning)
	}
	if report.Instruct != "" {
		fmt.Fprintln(w.err, strings.TrimRight(report.Instruct, "\n"))
	}
}
