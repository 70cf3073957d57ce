package main

import (
	"context"
	"errors"
	"fmt"

	"entire/agent"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/engine"
)

// agent runs a hook of an AI agent, whose payload comes on standard input.
func (h *hookRun) agent(ctx context.Context, ag agent.Agent, verb string) error {
	if agent.IsToolVerb(verb) {
		return h.tool(ctx, ag, verb)
	}
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
	if ev.Type == "" { // an event that Entire does not use
		return nil
	}
	dir := h.workedIn(ev, cwd)
	if dir == "" {
		return nil
	}
	err = h.enter(ctx, dir)
	if errors.Is(err, git.ErrNotRepository) {
		return h.inFolder(ctx, ev, dir)
	}
	if err != nil {
		return err
	}
	for _, warning := range ev.Warnings {
		h.log().Warn("hook payload", "hook", h.name, "warning", warning)
	}
	h.keepSetUp(ctx, ev.Type)
	feed := h.feedFor()
	err = h.handle(ctx, ev)
	h.beginPace(h.wp.place, h.wp.settings.Checkpoints(), ev)
	h.feed(ctx, feed, ev)
	h.cleanLater(ev)
	h.pruneTurnsLater(ev)
	return err
}

// workedIn returns the first of the directories that the agent may mean in which hooks are
// active; "" if there is none.
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
	var within context.CancelFunc
	if h.wp.settings.Strategy == condense.StrategyAuto { // its commits run the user's hooks
		ctx, within = h.interruptible(ctx)
	} else {
		ctx, within = context.WithTimeout(ctx, hookLimit)
	}
	defer within()
	answer, err := engine.Handle(ctx, h.wp.engine, ev)
	if len(answer.Output) == 0 {
		return err
	}
	_, printErr := h.out.Write(answer.Output)
	return errors.Join(err, printErr)
}
