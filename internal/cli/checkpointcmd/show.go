package checkpointcmd

import (
	"context"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/strategy/rewind"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

func checkpointsShowCommand(env *cliui.Env) *cobra.Command {
	var o workplace.CheckpointsOptions
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show one point: when and why it was made, and what it changed",
		Long: `Show one point: when and why it was made, and what it changed against the one
before it. An ID may be shortened to seven digits.`,
		Example: `  entire checkpoints show bfe1ee2
  entire checkpoints show bfe1ee2 --diff`,
		Args: cliui.OneArgument,
		RunE: func(cmd *cobra.Command, args []string) error { return checkpointsShow(cmd.Context(), env, args[0], o) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.Diff, "diff", "p", false, "with the lines that changed")
	f.BoolVar(&o.JSON, "json", false, "print a JSON object")
	f.BoolVar(&o.NoPager, "no-pager", false, "never use a pager")
	cmd.ValidArgsFunction = workplace.CompletePoints(env, 1)
	return cmd
}

func checkpointsShow(ctx context.Context, env *cliui.Env, name string, o workplace.CheckpointsOptions) error {
	wp, err := workplace.OpenEnabled(ctx, env)
	if err != nil || wp == nil {
		return err
	}
	defer wp.Close()
	point, err := workplace.FindPoint(ctx, wp, name)
	if err != nil {
		return err
	}
	views, err := workplace.ViewPoints(ctx, wp, []step.RewindPoint{point})
	if err != nil {
		return err
	}
	v := views[0]
	gaps, more, err := rewind.PointGaps(ctx, wp.Engine, point)
	if err != nil {
		return err
	}
	if o.JSON {
		return env.PrintJSON(struct {
			workplace.PointView
			Changes []workplace.ChangedFile `json:"changes"`
			Gaps    []worktree.Uncaptured   `json:"not_captured"`
			More    int                     `json:"not_captured_more,omitempty"`
		}{v, workplace.ChangedFiles(v.Changes), cliui.NotNil(gaps), more})
	}
	text := v.Text(env.Screen(), name, gaps, more)
	if o.Diff {
		pairs, err := workplace.MadeFrom(ctx, wp, []step.RewindPoint{point})
		if err != nil {
			return err
		}
		patch, err := workplace.PatchOf(ctx, wp, pairs[0], v.Changes)
		if err != nil {
			return err
		}
		text += "\n" + workplace.PatchText(env, patch)
	}
	return env.Show(ctx, text, o.NoPager)
}
