package rewindcmd

import (
	"context"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/strategy/condense"
)

func RestoreCommand(env *cliui.Env) *cobra.Command {
	var d doing
	cmd := &cobra.Command{
		Use:   "restore ID [--] [PATH...]",
		Short: "Give files the content they had at a point",
		Long: `Give files of the worktree, all or some, the content they had at a point: one of
` + "`entire log`" + `, commits included. Conversation, HEAD and index stay. The
present files are saved first, and ` + "`entire undo`" + ` restores them.`,
		Example: `  entire restore bfe1ee2
  entire restore bfe1ee2 -- src/main.go
  entire restore bfe1ee2 --dry-run --diff`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || cmd.ArgsLenAtDash() == 0 {
				return cliui.Failf("`entire log` shows the IDs", "%s needs the ID of a point", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.check(); err != nil {
				return err
			}
			return runRestore(cmd.Context(), env, args[0], args[1:], d)
		},
	}
	d.add(cmd.Flags())
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return workplace.CompletePoints(env, 1)(cmd, args, begun)
	}
	return cmd
}

func runRestore(ctx context.Context, env *cliui.Env, name string, paths []string, d doing) error {
	wp, err := workplace.OpenEnabled(ctx, env)
	if err != nil || wp == nil {
		return err
	}
	defer wp.Close()
	point, err := workplace.FindPoint(ctx, wp, name)
	if err != nil {
		return err
	}
	within, err := workplace.RepoPaths(env, wp, paths)
	if err != nil {
		return err
	}
	scope := condense.Scope{Kind: condense.ScopeTree, SkipConversation: true, Paths: within}
	return carryOut(ctx, env, wp, d, plansTo(ctx, wp, point, scope), scope.Conflicts)
}
