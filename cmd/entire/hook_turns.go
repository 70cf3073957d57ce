package main

import (
	"os"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/internal/summarize"
	"entire/strategy/maintain"
)

// pruneTurnsVerb is the hidden command that deletes expired turns.
const pruneTurnsVerb = "__prune-turns"

// pruneTurnsLater starts that command in another process when a session starts, once a day, so
// that no commit and no agent waits for it.
func (h *hookRun) pruneTurnsLater(ev agent.Event) {
	if ev.Type != agent.SessionStart || !maintain.TurnsDue(h.wp.engine) {
		return
	}
	program, err := os.Executable()
	if err == nil {
		err = summarize.Detach(program, []string{pruneTurnsVerb}, h.wp.repo.Top, h.environ)
	}
	if err != nil {
		h.log().Warn("turns whose time is over stay", "err", err)
	}
}

// pruneTurnsCommand returns the command that the hook starts: it prints nothing, and logs.
func (w *world) pruneTurnsCommand() *cobra.Command {
	return &cobra.Command{
		Use: pruneTurnsVerb, Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			summarize.Yield()
			wp, err := w.openQuietly(cmd.Context())
			if err != nil {
				return err
			}
			defer wp.close()
			if err := maintain.PruneTurns(cmd.Context(), wp.engine); err != nil {
				wp.log.Warn("turns whose time is over stay", "err", err)
			}
			return nil
		},
	}
}
