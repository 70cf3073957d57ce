package main

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/hooks"
	"entire/internal/single"
)

// registerHook adds the commands that hooks run to parent.
func registerHook(parent *cobra.Command, w *world) {
	parent.AddCommand(w.hooksCommand(), w.summarizeCommand(), w.pruneTurnsCommand())
}

// hookLimit bounds a hook: agents kill a hook after 30 seconds, and a person waits for it.
const hookLimit = 20 * time.Second

// commitLimit bounds a hook of an agent in which a commit is made: the user's own hooks run
// within it.
const commitLimit = 50 * time.Second

// hookMemory is the memory limit at which a hook collects garbage after all.
const hookMemory = 64 << 20

// runHook runs args if they are the command line of a hook, and reports whether they were. An
// error of a hook does not reach its caller: runHook logs it.
func (w *world) runHook(ctx context.Context, args []string) bool {
	hook := w.hookFor(args)
	if hook == nil {
		return false
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(hookMemory)
	limit := hookLimit
	if args[1] != "git" {
		limit = commitLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	h := &hookRun{world: w, name: args[1] + " " + args[2], began: w.now()}
	defer h.end()
	defer h.survive()
	if err := hook(ctx, h); err != nil {
		h.report(err)
	}
	return true
}

type hookFunc func(context.Context, *hookRun) error

// hookFor returns the hook that a command line names, nil for any other command.
func (w *world) hookFor(args []string) hookFunc {
	if len(args) < 3 || args[0] != "hooks" || asksForHelp(args[3:]) {
		return nil
	}
	owner, verb, rest := args[1], args[2], args[3:]
	if owner == "git" {
		if !slices.Contains(hooks.Names(), verb) {
			return nil
		}
		return func(ctx context.Context, h *hookRun) error { return h.git(ctx, verb, rest) }
	}
	ag, ok := agent.Lookup(agent.AgentName(owner))
	if !ok || !slices.Contains(ag.Verbs(), verb) {
		return nil
	}
	return func(ctx context.Context, h *hookRun) error { return h.agent(ctx, ag, verb) }
}

func asksForHelp(args []string) bool {
	return len(args) == 1 && (args[0] == "--help" || args[0] == "-h")
}

// A hookRun is one run of a hook. It logs to the worktree's log once the worktree is known.
type hookRun struct {
	*world
	name  string
	began time.Time
	wp    *workplace
}

// survive logs a panic.
func (h *hookRun) survive() {
	if p := recover(); p != nil {
		h.report(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}
}

func (h *hookRun) end() {
	if h.wp != nil {
		h.summarizeLater()
		owner, verb, _ := strings.Cut(h.name, " ")
		h.log().Debug("hook ended", "component", "hooks", "hook", verb, "of", owner, "ms", h.now().Sub(h.began).Milliseconds())
		h.wp.close()
	}
}

// report logs an error, if Entire is set up here.
func (h *hookRun) report(err error) {
	if h.wp != nil {
		h.wp.log.Error("hook failed", "hook", h.name, "err", err)
		return
	}
	dir, _ := h.getwd()
	if p := findPlace(dir); p.active() {
		log, done := newLog(p.logPath(""), h.env("ENTIRE_LOG_LEVEL"))
		defer done()
		log.Error("hook failed", "hook", h.name, "err", err)
	}
}

// enter opens the worktree around dir for the hook.
func (h *hookRun) enter(ctx context.Context, dir string) error {
	wp, settingsErr, err := h.openAt(ctx, dir)
	if err != nil {
		return err
	}
	single.All()
	h.wp = wp
	if settingsErr != nil {
		wp.log.Warn("settings not understood", "hook", h.name, "err", settingsErr)
	}
	return nil
}

func (h *hookRun) log() *slog.Logger { return h.wp.log }
