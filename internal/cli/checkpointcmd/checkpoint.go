package checkpointcmd

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/strategy/step"
	"entire/strategy/turn"
)

// Register adds the command that saves a point to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	parent.AddCommand(saveCommand(env), guardCommand(env))
}

// Former returns the commands by their former names. also are the subcommands of `entire checkpoint`
// that come from other packages; notLabel returns an error for a word that is no label without -m.
func Former(env *cliui.Env, also map[string]*cobra.Command, notLabel func(string) error) []*cobra.Command {
	checkpoint := cliui.Former(saveCommand(env), "checkpoint", "entire save")
	checkpoint.Long += `

The names of other tools' subcommands, such as list, show, rewind, explain, search
and delete, are not labels: they run that command. A word that is a command elsewhere
is no label either. After -m or -- any label can stand.`
	labels := checkpoint.Args
	checkpoint.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && cmd.ArgsLenAtDash() != 0 && !cmd.Flags().Changed("message") {
			if err := notLabel(args[0]); err != nil {
				return err
			}
		}
		return labels(cmd, args)
	}
	checkpoint.AddCommand(notLabels(env, also)...)
	return []*cobra.Command{checkpoint, cliui.Former(checkpointsCommand(env), "checkpoints", "entire log, entire show, entire share forget")}
}

// saveCommand saves the worktree under a label.
func saveCommand(env *cliui.Env) *cobra.Command {
	var asJSON bool
	var label string
	cmd := &cobra.Command{
		Use:   "save LABEL",
		Short: "Save the present worktree under a label",
		Long: `Save the present worktree as a point with a label. ` + "`entire rewind`" + ` goes back to
it as to any other point. HEAD, the index and the files do not change, and no agent
needs to run.`,
		Example: `  entire save "before the big refactoring"
  entire log --kind label`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("message") {
				return cliui.NoArguments(cmd, args)
			}
			if len(args) > 1 {
				return cliui.Failf(fmt.Sprintf("put it in quotes: %s \"%s %s …\"", cmd.CommandPath(), args[0], args[1]), "a label is one argument, not %d", len(args))
			}
			return cliui.OneArgument(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				label = args[0]
			}
			return runCheckpoint(cmd.Context(), env, label, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	cmd.Flags().StringVarP(&label, "message", "m", "", "the `LABEL`, whatever it is called")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	return cmd
}

// notLabels returns the subcommands that other versions have below this command. They do here
// what they do there; a label of such a name follows -m or --.
func notLabels(env *cliui.Env, also map[string]*cobra.Command) []*cobra.Command {
	all := map[string]*cobra.Command{
		"list": checkpointsListCommand(env), "show": checkpointsShowCommand(env), "diff": checkpointsDiffCommand(env),
		"forget": ForgetCommand(env), "delete": ForgetCommand(env),
	}
	maps.Copy(all, also)
	var list []*cobra.Command
	for name, cmd := range all {
		list = append(list, cliui.Hidden(cliui.As(cmd, name))...)
	}
	return list
}

func runCheckpoint(ctx context.Context, env *cliui.Env, label string, asJSON bool) error {
	wp, err := workplace.OpenEnabled(ctx, env)
	if err != nil || wp == nil {
		return err
	}
	defer wp.Close()
	if !wp.Place.SetUp {
		return cliui.Failf("`entire enable` sets it up", "Entire is not set up in this repository")
	}
	point, err := turn.SaveLabel(ctx, wp.Engine, label)
	if errors.Is(err, turn.ErrNoLabel) {
		return cliui.Failf("give a label that you will recognize later, as in \"before the upgrade\"", "%w", err)
	}
	if err != nil {
		return err
	}
	views, err := workplace.ViewPoints(ctx, wp, []step.RewindPoint{point})
	if err != nil {
		return err
	}
	if asJSON {
		return env.PrintJSON(views[0])
	}
	_, err = fmt.Fprintf(env.Out, "Saved %s as %s.\nTo go back to it: entire rewind %s\n", cliui.ShownLine(point.Label), cliui.ShortID(point.ID), cliui.ShortID(point.ID))
	return err
}
