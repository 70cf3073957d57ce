package checkpointcmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entire/checkpoint/epoch"
	"entire/checkpoint/sealing"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/summarize"
)

type sealOptions struct {
	before            string
	dryRun, yes, json bool
	byItself          bool
}

// SealCommand moves whole months of checkpoints into epochs.
func SealCommand(env *cliui.Env) *cobra.Command {
	var o sealOptions
	cmd := &cobra.Command{
		Use:   "seal",
		Short: "Move past months of checkpoints from the branch into epochs",
		Long: `Move the checkpoints of past months from the branch entire/checkpoints/v1 into
epochs, one for each month: refs/entire/epochs/YYYY-MM has a small manifest, and
refs/entire/bodies/YYYY-MM the checkpoints. The branch and its history become as
small as the months that are left, so that clones, pushes and lookups stay fast.

Nothing is lost, and every command reads epochs as it reads the branch. Clones that
seal the same checkpoints make the same epochs; those of different clones are joined
when sessions are pushed. An interrupted call leaves checkpoints in both places: run
it again.

With the setting seal.over commits do this by themselves, in the background, when the
branch has more checkpoints than that.

The next push of sessions sends the epochs, and replaces the branch at the remotes.
A version of Entire that knows no epochs reads what is on the branch.`,
		Example: `  entire share seal --dry-run
  entire share seal                    # every month but this one
  entire share seal --before 2026-06
  entire share seal --before 2999-01   # this month, too; later ones of it join`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSeal(cmd.Context(), env, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.before, "before", "", "seal the months before this one, `YYYY-MM`, instead of all but the present")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "only show what would move")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	f.BoolVar(&o.byItself, "by-itself", false, "as a commit does it: only if the settings say so")
	_ = f.MarkHidden("by-itself")
	cmd.RegisterFlagCompletionFunc("before", cobra.NoFileCompletions)
	return cmd
}

// A sealView is the result, as --json prints it.
type sealView struct {
	DryRun bool       `json:"dry_run"`
	Months []sealPart `json:"months"`
	Sealed int        `json:"sealed"`         // checkpoints that are in epochs now and were not
	Stay   int        `json:"stay_on_branch"` // those of months that are not over, or without a date
	Left   int        `json:"left"`           // changed since, or their epoch's content is not here
}

type sealPart struct {
	Month       epoch.Month `json:"month"`
	Checkpoints int         `json:"checkpoints"`
	Late        bool        `json:"sealed_before"`
	Absent      bool        `json:"content_not_here"`
}

func runSeal(ctx context.Context, env *cliui.Env, o sealOptions) error {
	before := env.Now()
	if o.before != "" {
		month, ok := epoch.ParseMonth(o.before)
		if !ok {
			return cliui.Failf("as in --before 2026-06", "not a month: %s", cliui.ShownLine(o.before))
		}
		before = month.Start()
	}
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	if o.byItself {
		return sealByItself(ctx, env, wp)
	}
	show, finished := env.Progress()
	plan, err := sealing.Find(ctx, wp.Repo, before, func(done, total int) { show("checkpoints", done, total) })
	finished()
	if err != nil {
		return fmt.Errorf("find what can be sealed: %w", err)
	}
	v := sealView{DryRun: o.dryRun, Stay: plan.Stay, Months: []sealPart{}}
	for _, p := range plan.Months {
		v.Months = append(v.Months, sealPart{p.Month, p.Checkpoints, p.Late, p.Absent})
	}
	move := plan.Checkpoints()
	if !o.dryRun && move > 0 {
		if err := maySeal(ctx, env, move, o); err != nil {
			return err
		}
		done, err := sealing.Seal(ctx, wp.Repo, plan)
		if err != nil {
			return cliui.WithHint(err, "nothing is lost: run it again to finish")
		}
		v.Sealed, v.Left = done.Sealed, done.Left
	}
	if o.json {
		return env.PrintJSON(v)
	}
	_, err = fmt.Fprint(env.Out, v.text(move))
	return err
}

// sealByItself seals past months after a commit; nobody reads what this process prints.
func sealByItself(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) error {
	summarize.Yield()
	done, err := sealing.ByItself(ctx, wp.Repo, env.Now(), wp.Settings.SealOver())
	if err != nil {
		wp.Engine.Log.Warn("past months are not sealed", "err", err)
		return err
	}
	if len(done.Months) > 0 {
		wp.Engine.Log.Info("past months are sealed", "months", len(done.Months), "checkpoints", done.Sealed)
	}
	return nil
}

func maySeal(ctx context.Context, env *cliui.Env, n int, o sealOptions) error {
	if o.yes {
		return nil
	}
	return env.Consent(ctx, "--yes", "seal", fmt.Sprintf("Seal %s?", cliui.Count(n, "checkpoint")),
		"The next push of sessions replaces the branch at the remotes, with a forced push of this branch alone.")
}

// text describes the result. move is how many checkpoints the plan has.
func (v sealView) text(move int) string {
	var b strings.Builder
	for _, p := range v.Months {
		note := ""
		switch {
		case p.Absent:
			note = "  stay on the branch: this month is sealed, and its content is not in this clone (`entire share fetch --month " + string(p.Month) + "`)"
		case p.Late:
			note = "  (late: the month was sealed before)"
		}
		fmt.Fprintf(&b, "%s  %s%s\n", p.Month, cliui.Count(p.Checkpoints, "checkpoint"), note)
	}
	switch {
	case move == 0:
		fmt.Fprintf(&b, "Nothing to seal: %s of this month or without a date on the branch.\n", cliui.Count(v.Stay, "checkpoint"))
	case v.DryRun:
		fmt.Fprintf(&b, "Would seal %s; %d stay on the branch.\n", cliui.Count(move, "checkpoint"), v.Stay)
	default:
		fmt.Fprintf(&b, "Sealed %s; %d stay on the branch. The next push of sessions sends them.\n", cliui.Count(move, "checkpoint"), v.Stay+v.Left)
	}
	return b.String()
}
