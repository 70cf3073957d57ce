package main

import (
	"context"
	"fmt"

	"entire/hooks"
	"entire/strategy/engine"
	"entire/strategy/share"
)

// git runs a hook of git, which git starts at the worktree's top.
func (h *hookRun) git(ctx context.Context, verb string, args []string) error {
	dir, err := h.getwd()
	if err != nil {
		return err
	}
	if !findPlace(dir).active() {
		return nil
	}
	if err := h.enter(ctx, dir); err != nil {
		return err
	}
	if h.wp.repo.Top == "" {
		return nil
	}
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	if arg(0) == "" && verb != hooks.PostCommit {
		return fmt.Errorf("%s hook without its argument", verb)
	}
	switch verb {
	case hooks.PrepareCommitMsg:
		return engine.PrepareCommitMsg(ctx, h.wp.engine, arg(0), arg(1))
	case hooks.CommitMsg:
		return engine.CommitMsg(ctx, h.wp.engine, arg(0))
	case hooks.PostCommit:
		return engine.PostCommit(ctx, h.wp.engine)
	case hooks.PrePush:
		ctx, stop := h.interruptible(ctx)
		defer stop()
		return share.PrePush(ctx, h.wp.engine, arg(0), h.env("ENTIRE_PUSH_URL"), h.in)
	}
	return nil
}
