package main

import (
	"github.com/spf13/cobra"
)

// registerSession adds `entire sessions` to parent and returns it.
func registerSession(parent *cobra.Command, w *world) *cobra.Command {
	sessions := w.sessionsCommand()
	parent.AddCommand(sessions)
	return sessions
}

func (w *world) sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sessions",
		Aliases: []string{"session"},
		Short:   "List, read, continue and fork the conversations with agents",
		Long: `Manage the conversations with agents: those kept on this machine, those that work
in this repository now, and those that came with the checkpoints of others. It
works in any folder, also outside a repository.

The beginning of an ID suffices where it is unambiguous. To continue the work of a
branch, also of another machine, see ` + "`entire resume BRANCH`" + `.`,
		Example: `  entire sessions list
  entire sessions show 6e1f0d2 --messages
  entire sessions resume 6e1f0d2
  entire sessions fork 6e1f0d2 --at 1a2252ee`,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		w.sessionsListCommand(), w.sessionsShowCommand(), w.sessionsCurrentCommand(),
		w.sessionsDeleteCommand(), w.sessionsUndeleteCommand(), w.sessionsCheckCommand(),
		w.sessionsRenameCommand(), w.sessionsTagCommand(), w.sessionsUntagCommand(), w.sessionsCleanCommand(),
	)
	return cmd
}
