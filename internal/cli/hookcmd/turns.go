package hookcmd

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/summarize"
	"entire/strategy/maintain"
)

// pruneTurnsVerb is the hidden command that deletes expired turns.
const pruneTurnsVerb = "__prune-turns"

// pruneTurnsLater starts that command in another process when a session starts, once a day, so
// that no commit and no agent waits for it.
func (h *hookRun) pruneTurnsLater(ev agent.Event) {
	if ev.Type != agent.SessionStart || !maintain.TurnsDue(h.wp.Engine) {
		return
	}
	h.startLater("turns whose time is over stay", pruneTurnsVerb)
}

// pruneTurnsCommand returns the command that the hook starts: it prints nothing, and logs.
func pruneTurnsCommand(env *cliui.Env) *cobra.Command {
	return laterCommand(env, pruneTurnsVerb, func(ctx context.Context, wp *workplace.Workplace) {
		if err := maintain.PruneTurns(ctx, wp.Engine); err != nil {
			wp.Log.Warn("turns whose time is over stay", "err", err)
		}
	})
}

// startLater starts a command of ours in another process, for which the caller of the hook does not
// wait. If that fails, the log gets the consequence.
func (h *hookRun) startLater(consequence string, args ...string) {
	program, err := os.Executable()
	if err == nil {
		err = summarize.Detach(program, args, h.wp.Repo.Top, h.Environ)
	}
	if err != nil {
		h.log().Warn(consequence, "err", err)
	}
}

// watchLater starts `entire watch` when a session starts, if the person's own settings ask for it. If a process
// watches already, the other one ends at once.
func (h *hookRun) watchLater(ev agent.Event) {
	if ev.Type == agent.SessionStart && h.wp.Settings.Watch {
		h.startLater("changes outside turns are not kept", "watch", "--detached")
	}
}

// laterCommand returns a command that startLater starts. It prints nothing, and leaves the processor to
// others.
func laterCommand(env *cliui.Env, verb string, run func(context.Context, *workplace.Workplace)) *cobra.Command {
	return &cobra.Command{
		Use: verb, Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			summarize.Yield()
			wp, err := workplace.OpenWithoutRecovery(cmd.Context(), env)
			if err != nil {
				return err
			}
			defer wp.Close()
			run(cmd.Context(), wp)
			return nil
		},
	}
}
