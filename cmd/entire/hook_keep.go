package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"entire/agent"
	"entire/hooks"
	"entire/internal/config"
	"entire/internal/durable"
)

// keepSetUp puts back what a clone or another tool may have lost since `entire
// enable`: a turn whose commit no hook sees would never be linked.
func (h *hookRun) keepSetUp(ctx context.Context, ev agent.EventType) {
	if ev == agent.TurnStart {
		if err := h.wp.engine.EnsureSetup(ctx); err != nil {
			h.log().Warn("set-up incomplete", "err", err)
		}
		if top := h.wp.repo.Top; config.Exists(top) {
			if err := config.EnsureGitignore(top); err != nil {
				h.log().Warn("set-up incomplete", "err", err)
			}
		}
	}
	h.keepHooks(ctx, ev)
}

// keepHooks installs git's hooks again where a hook manager, or a changed
// configuration, has put others in their place, or another version of ours has
// written them. Every event looks, because an agent installs packages and commits in
// one turn; as long as nothing has moved, that costs a stat of each file. What cannot
// be put right is logged once.
func (h *hookRun) keepHooks(ctx context.Context, ev agent.EventType) {
	if h.hooksAsLeft() && (ev != agent.TurnStart || !h.includesConfig()) {
		return
	}
	target, err := hooks.Locate(ctx, h.wp.repo)
	if err != nil {
		h.log().Warn("git hooks not found", "err", err)
		return
	}
	if opts := h.hookOptions(h.wp); hooks.Installed(target) != hooks.All || hooks.Outdated(target, opts) {
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

// stampPath is where the look of the hooks is kept, by worktree: each may have a
// configuration of its own.
func (h *hookRun) stampPath() string {
	return filepath.Join(h.wp.repo.GitDir, "entire", "hooks.stamp")
}

// hooksAsLeft reports that nothing has moved since the hooks were last looked at.
func (h *hookRun) hooksAsLeft() bool {
	data, err := os.ReadFile(h.stampPath())
	dir, stamp, ok := strings.Cut(string(data), "\n")
	return err == nil && ok && filepath.IsAbs(dir) && stamp == h.hooksStamp(dir)
}

// hooksStamp is how the hooks in dir, and the configuration that led there, look
// from outside.
func (h *hookRun) hooksStamp(dir string) string {
	return hooks.Stamp(dir, h.gitConfigs()...)
}

// gitConfigs are the files in which git's configuration usually lies.
func (h *hookRun) gitConfigs() []string {
	repo := h.wp.repo
	files := []string{filepath.Join(repo.CommonDir, "config"), filepath.Join(repo.GitDir, "config.worktree"), "/etc/gitconfig"}
	if global := h.env("GIT_CONFIG_GLOBAL"); global != "" {
		return append(files, global)
	}
	if home := h.home(); home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(h.xdgConfig(home), "git", "config"))
	}
	return files
}

// includesConfig reports that more files may be part of the configuration.
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
	if dir := h.env("XDG_CONFIG_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(home, ".config")
}
