package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"entire/strategy"
)

func (w *world) checkpointCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "checkpoint LABEL",
		Short: "Save the worktree as it stands, under a name",
		Long: `Save the worktree as it stands as a point of its own, under a name for people.
` + "`entire rewind --to`" + ` goes back to it like to any other. HEAD, the index and the
files stay as they are; nothing has to run, and no agent has to be at work.`,
		Example: `  entire checkpoint "before the big refactoring"
  entire checkpoints list`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && cmd.ArgsLenAtDash() < 0 && slices.Contains([]string{"list", "show", "diff"}, args[0]) {
				return failf(fmt.Sprintf("`entire checkpoint -- %s` saves a point of that name", args[0]), "did you mean `entire checkpoints %s`?", args[0])
			}
			if len(args) > 1 {
				return failf(fmt.Sprintf("put it in quotes: entire checkpoint \"%s %s …\"", shownLine(args[0]), shownLine(args[1])), "a label is one argument, not %d", len(args))
			}
			return oneArgument(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return w.checkpoint(cmd.Context(), args[0], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	return cmd
}

func (w *world) checkpoint(ctx context.Context, label string, asJSON bool) error {
	wp, err := w.guarded(ctx)
	if err != nil || wp == nil {
		return err
	}
	defer wp.close()
	if !wp.place.setUp {
		return failf("`entire enable` sets it up", "Entire is not set up in this repository")
	}
	point, err := wp.engine.SaveLabel(ctx, label)
	if errors.Is(err, strategy.ErrNoLabel) {
		return failf("a label is what you will look for later, as in \"before the upgrade\"", "%w", err)
	}
	if err != nil {
		return err
	}
	views, err := viewPoints(ctx, wp, []strategy.RewindPoint{point})
	if err != nil {
		return err
	}
	if asJSON {
		return w.printJSON(views[0])
	}
	_, err = fmt.Fprintf(w.out, "Saved %s as %s.\nTo go back to it: entire rewind --to %s\n", shownLine(point.Label), shortID(point.ID), shortID(point.ID))
	return err
}
