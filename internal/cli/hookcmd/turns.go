package hookcmd

import (
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
	program, err := os.Executable()
	if err == nil {
		err = summarize.Detach(program, []string{pruneTurnsVerb}, h.wp.Repo.Top, h.Environ)
	}
	if err != nil {
		h.log().Warn("turns whose time is over stay", "err", err)
	}
}

// pruneTurnsCommand returns the command that the hook starts: it prints nothing, and logs.
func pruneTurnsCommand(w *cliui.Env) *cobra.Command {
	return &cobra.Command{
		Use: pruneTurnsVerb, Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			summarize.Yield()
			wp, err := workplace.OpenWithoutRecovery(cmd.Context(), w)
			if err != nil {
				return err
			}
			defer wp.Close()
			if err := maintain.PruneTurns(cmd.Context(), wp.Engine); err != nil {
				wp.Log.Warn("turns whose time is over stay", "err", err)
			}
			return nil
		},
	}
}
