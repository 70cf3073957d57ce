package checkpointcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"entire/checkpoint/epoch"
	"entire/checkpoint/sealing"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

type unsealOptions struct{ all, yes, json bool }

// UnsealCommand moves sealed months back to the branch.
func UnsealCommand(env *cliui.Env) *cobra.Command {
	var o unsealOptions
	cmd := &cobra.Command{
		Use:   "unseal [YYYY-MM...]",
		Short: "Move sealed months back to the branch",
		Long: `Move the checkpoints of sealed months back to the branch entire/checkpoints/v1, each
exactly as it was, and remove the months' epochs. Their content has to be in this clone:
` + "`entire share fetch --month YYYY-MM`" + ` gets it.

The next push of sessions sends the branch, and then removes the epochs at the remote;
other clones remove theirs when they receive the branch. A clone that sealed more
checkpoints of the month meanwhile brings the epoch back, and nothing is lost.`,
		Example: `  entire share unseal 2026-05
  entire share unseal --all`,
		RunE:              func(cmd *cobra.Command, args []string) error { return runUnseal(cmd.Context(), env, args, o) },
		ValidArgsFunction: workplace.CompleteNames(env, sealedMonths),
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "every sealed month")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	return cmd
}

// sealedMonths returns the sealed months of this clone.
func sealedMonths(ctx context.Context, wp *workplace.Workplace, _ string) (names []string, err error) {
	set, err := epoch.Load(ctx, wp.Repo)
	for _, m := range set {
		names = append(names, string(m.Month))
	}
	return names, err
}

// An unsealView is the result, as --json prints it.
type unsealView struct {
	Months      []epoch.Month `json:"months"`
	Checkpoints int           `json:"checkpoints"`
}

func runUnseal(ctx context.Context, env *cliui.Env, args []string, o unsealOptions) error {
	months := []epoch.Month{}
	for _, arg := range args {
		m, ok := epoch.ParseMonth(arg)
		if !ok {
			return cliui.Failf("as in `entire share unseal 2026-05`", "not a month: %s", cliui.ShownLine(arg))
		}
		if !slices.Contains(months, m) {
			months = append(months, m)
		}
	}
	if o.all == (len(months) > 0) {
		return cliui.Failf("as in `entire share unseal 2026-05`, or with --all", "name the months, or all of them")
	}
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	set, err := epoch.Load(ctx, wp.Repo)
	if err != nil {
		return err
	}
	for _, m := range months {
		if set.Of(m) == nil {
			return notSealed(fmt.Errorf("unseal %s: %w", m, sealing.ErrNotSealed))
		}
	}
	if o.all {
		for _, m := range set {
			months = append(months, m.Month)
		}
	}
	if len(months) > 0 && !o.yes {
		if err := env.Consent(ctx, "--yes", "unseal", fmt.Sprintf("Unseal %s?", cliui.Count(len(months), "month")),
			"Every clone gets their checkpoints with the branch again."); err != nil {
			return err
		}
	}
	back, err := sealing.Unseal(ctx, wp.Repo, months, env.Now())
	switch {
	case errors.Is(err, sealing.ErrNeedBodies):
		return cliui.Failf("`entire share fetch --month YYYY-MM` gets it", "%w", err)
	case errors.Is(err, sealing.ErrNotSealed):
		return notSealed(err)
	case err != nil:
		return err
	}
	if o.json {
		return env.PrintJSON(unsealView{months, back})
	}
	if len(months) == 0 {
		_, err = fmt.Fprintln(env.Out, "No month is sealed.")
		return err
	}
	_, err = fmt.Fprintf(env.Out, "Unsealed %s of %s. The next push of sessions sends them.\n", cliui.Count(back, "checkpoint"), cliui.Count(len(months), "month"))
	return err
}

func notSealed(err error) error {
	return cliui.Failf("`git for-each-ref "+epoch.Refs+"` lists the sealed months of this clone", "%w", err)
}
