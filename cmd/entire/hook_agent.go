package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"entire/agent"
	"entire/hooks"
	"entire/internal/config"
)

// agent is a hook of an AI agent: its payload comes on standard input.
func (h *hookRun) agent(ctx context.Context, ag agent.Agent, verb string) error {
	cwd, err := h.getwd()
	if err == nil && findPlace(cwd).off() {
		return nil
	}
	payload, err := readInput(h.in, inputLimit, inputWait)
	if err != nil {
		return err
	}
	ev, err := ag.Decode(verb, payload, h.now())
	if err != nil {
		return fmt.Errorf("hook payload: %w", err)
	}
	if ev.Type == "" { // of no meaning to us
		return nil
	}
	dir := h.workedIn(ev, cwd)
	if dir == "" {
		return nil
	}
	if err := h.enter(ctx, dir); err != nil {
		return err
	}
	for _, warning := range ev.Warnings {
		h.log().Warn("hook payload", "hook", h.name, "warning", warning)
	}
	if ev.Type == agent.TurnStart {
		h.keepSetUp(ctx)
	}
	return h.handle(ctx, ev)
}

// workedIn is the first of the directories the agent may mean that belongs to a
// worktree in which hooks are active; "" if none does.
func (h *hookRun) workedIn(ev agent.Event, cwd string) string {
	for _, dir := range []string{ev.Dir, cwd, h.env("CLAUDE_PROJECT_DIR"), h.env("GEMINI_PROJECT_DIR")} {
		if dir == "" {
			continue
		}
		if p := findPlace(dir); p.setUp {
			if p.active() {
				return dir
			}
			return ""
		}
	}
	return ""
}

func (h *hookRun) handle(ctx context.Context, ev agent.Event) error {
	answer, err := h.wp.engine.Handle(ctx, ev)
	if len(answer.Output) == 0 {
		return err
	}
	_, printErr := h.out.Write(answer.Output)
	return errors.Join(err, printErr)
}

// keepSetUp puts back what a clone or another tool may have lost since `entire
// enable`: a turn whose commit no hook sees would never be linked.
func (h *hookRun) keepSetUp(ctx context.Context) {
	if err := h.wp.engine.EnsureSetup(ctx); err != nil {
		h.log().Warn("set-up incomplete", "err", err)
	}
	if top := h.wp.repo.Top; config.Exists(top) {
		if err := config.EnsureGitignore(top); err != nil {
			h.log().Warn("set-up incomplete", "err", err)
		}
	}
	if h.hooksInPlace() {
		return
	}
	target, err := hooks.Locate(ctx, h.wp.repo)
	if err != nil {
		h.log().Warn("git hooks not found", "err", err)
		return
	}
	if hooks.Installed(target) == hooks.All {
		return
	}
	report, err := hooks.Install(ctx, target, h.hookOptions(h.wp))
	if err != nil {
		h.log().Warn("git hooks not installed", "err", err)
	}
	for _, warning := range append(report.Warnings, report.Instruct) {
		if warning != "" {
			h.log().Warn("git hooks", "warning", warning)
		}
	}
}

// hooksInPlace is the cheap answer for the ordinary repository: all hooks are
// in .git/hooks, and no configuration sends git elsewhere.
func (h *hookRun) hooksInPlace() bool {
	repo := h.wp.repo
	plain := hooks.Target{Dir: filepath.Join(repo.CommonDir, "hooks"), Top: repo.Top, CommonDir: repo.CommonDir}
	return hooks.Installed(plain) == hooks.All && !h.mentionsHooksPath(repo.CommonDir)
}

// mentionsHooksPath looks for core.hooksPath, or an include that could hold it,
// where git's configuration usually lies.
func (h *hookRun) mentionsHooksPath(commonDir string) bool {
	files := []string{filepath.Join(commonDir, "config"), "/etc/gitconfig"}
	if global := h.env("GIT_CONFIG_GLOBAL"); global != "" {
		files = append(files, global)
	} else if home := h.home(); home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(h.xdgConfig(home), "git", "config"))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		lower := strings.ToLower(string(text))
		if strings.Contains(lower, "hookspath") || strings.Contains(lower, "[include") {
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
