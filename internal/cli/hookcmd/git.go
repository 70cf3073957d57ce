package hookcmd

import (
	"context"
	"fmt"

	"entire/hooks"
	"entire/internal/cli/workplace"
	"entire/strategy/engine"
	"entire/strategy/share"
)

// git runs a hook of git, which git starts at the worktree's top.
func (h *hookRun) git(ctx context.Context, verb string, args []string) error {
	dir, err := h.Here()
	if err != nil {
		return err
	}
	if !workplace.FindPlace(dir).Active() {
		return nil
	}
	if err := h.enter(ctx, dir); err != nil {
		return err
	}
	if h.wp.Repo.Top == "" {
		return nil
	}
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	if arg(0) == "" && verb != hooks.PostCommit {
		return fmt.Errorf("git called the hook %s without its argument", verb)
	}
	defer h.did("record")
	switch verb {
	case hooks.PrepareCommitMsg:
		return engine.PrepareCommitMsg(ctx, h.wp.Engine, arg(0), arg(1))
	case hooks.CommitMsg:
		return engine.CommitMsg(ctx, h.wp.Engine, arg(0))
	case hooks.PostCommit:
		err := engine.PostCommit(ctx, h.wp.Engine)
		h.packLater()
		h.sealLater()
		return err
	case hooks.PrePush:
		ctx, stop := h.Interruptible(ctx)
		defer stop()
		return share.PrePush(ctx, h.wp.Engine, arg(0), h.Getenv("ENTIRE_PUSH_URL"), h.In)
	}
	return nil
}
