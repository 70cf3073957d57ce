package hookcmd

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"entire/agent"
	"entire/hooks"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/durable"
	"entire/strategy/restore"
)

// keepSetUp restores the parts of the set-up that a clone or another tool may have removed since
// `entire enable`: without its git hooks, a commit would not be linked.
func (h *hookRun) keepSetUp(ctx context.Context, ev agent.EventType) {
	if ev == agent.TurnStart {
		if err := restore.EnsureSetup(ctx, h.wp.Engine); err != nil {
			h.log().Warn("set-up incomplete", "err", err)
		}
		if top := h.wp.Repo.Top; config.Exists(top) {
			if err := config.EnsureGitignore(top); err != nil {
				h.log().Warn("set-up incomplete", "err", err)
			}
		}
	}
	h.keepHooks(ctx, ev)
}

// keepHooks installs git's hooks again if a hook manager, a changed configuration, or another
// version of Entire has replaced them. Every event checks, because an agent installs packages and
// commits in one turn; while nothing has changed, the check costs a stat of each file. An error
// is logged once.
func (h *hookRun) keepHooks(ctx context.Context, ev agent.EventType) {
	if h.hooksAsLeft() && (ev != agent.TurnStart || !h.includesConfig()) {
		return
	}
	target, err := hooks.Locate(ctx, h.wp.Repo)
	if err != nil {
		h.log().Warn("git hooks not found", "err", err)
		return
	}
	if opts := workplace.HookOptions(h.Env, h.wp); hooks.Installed(target) != hooks.All || hooks.Outdated(target, opts) {
		before := hooks.Detect(target)
		report, err := hooks.Install(ctx, target, opts)
		if err != nil {
			h.log().Warn("git hooks not installed", "err", err)
			return
		}
		if len(report.Written) > 0 {
			h.log().Info("git hooks put back", "hooks", report.Written, "chained", report.Chained, "manager", string(before))
		}
		for _, warning := range append(report.Warnings, report.Instruct) {
			if warning != "" {
				h.log().Warn("git hooks", "warning", warning)
			}
		}
	}
	if err := durable.WriteCache(h.stampPath(), []byte(target.Dir+"\n"+h.hooksStamp(target.Dir)), 0o600); err != nil {
		h.log().Warn("git hooks are looked at again each time", "err", err)
	}
}

// stampPath returns where the stamp of the hooks is kept: for each worktree, as each may have its
// own configuration.
func (h *hookRun) stampPath() string {
	return filepath.Join(h.wp.Repo.GitDir, "entire", "hooks.stamp")
}

// hooksAsLeft reports whether the hooks are unchanged since the last check.
func (h *hookRun) hooksAsLeft() bool {
	data, err := durable.ReadOwn(h.stampPath())
	dir, stamp, ok := strings.Cut(string(data), "\n")
	return err == nil && ok && filepath.IsAbs(dir) && stamp == h.hooksStamp(dir)
}

// hooksStamp returns the stamp of the hooks in dir and of the git configuration files.
func (h *hookRun) hooksStamp(dir string) string {
	return hooks.Stamp(dir, h.gitConfigs()...)
}

// gitConfigs returns the usual files of git's configuration.
func (h *hookRun) gitConfigs() []string {
	repo := h.wp.Repo
	files := []string{filepath.Join(repo.CommonDir, "config"), filepath.Join(repo.GitDir, "config.worktree"), "/etc/gitconfig"}
	if global := h.Getenv("GIT_CONFIG_GLOBAL"); global != "" {
		return append(files, global)
	}
	if home := h.Home(); home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(h.xdgConfig(home), "git", "config"))
	}
	return files
}

// includesConfig reports whether the configuration includes more files.
func (h *hookRun) includesConfig() bool {
	for _, file := range h.gitConfigs() {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(strings.ToLower(string(text)), "[include") {
			return true
		}
	}
	return false
}

func (h *hookRun) xdgConfig(home string) string {
	if dir := h.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(home, ".config")
}
