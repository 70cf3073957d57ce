package checkpointcmd

import (
	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

func checkpointsCommand(env *cliui.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoints",
		Short: "List, show and compare points, forget and pack checkpoints",
		Example: `  entire checkpoints list
  entire checkpoints show bfe1ee2 --diff
  entire checkpoints diff bfe1ee2              # what has changed since
  entire checkpoints diff bfe1ee2 c0ffee1 -- src
  entire checkpoints forget a3b2c4d5e6f7       # what was stored of a commit
  entire checkpoints pack                      # in less space`,
		Args: cliui.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(checkpointsListCommand(env), checkpointsShowCommand(env), checkpointsDiffCommand(env), ForgetCommand(env), SealCommand(env), packCommand(env))
	return cmd
}

func checkpointsListCommand(env *cliui.Env) *cobra.Command {
	var o workplace.CheckpointsOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the points of this worktree, the newest first",
		Long: `List the points of this worktree that ` + "`entire rewind`" + ` goes back to, the newest
first: the ends of turns and tasks, points made by hand with ` + "`entire checkpoint`" + `,
and the commits that hold an agent's work. A turn whose work is committed names its
commit, and stays a point for 30 days. The numbers say what each point changed.`,
		Example: `  entire checkpoints list
  entire checkpoints list --session 5e55104f
  entire checkpoints list --json`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return workplace.CheckpointsList(cmd.Context(), env, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Session, "session", "", "only this session's, by its ID or how it begins")
	f.BoolVar(&o.JSON, "json", false, "print a JSON array")
	f.BoolVar(&o.NoPager, "no-pager", false, "never use a pager")
	cmd.RegisterFlagCompletionFunc("session", workplace.CompleteSessions(env))
	return cmd
}
