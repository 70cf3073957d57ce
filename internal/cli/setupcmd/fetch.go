package setupcmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"entire/checkpoint/epoch"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/strategy/resume"
	"entire/strategy/share"
)

type fetchOptions struct {
	from      string
	months    []string
	all, json bool
}

// FetchCommand gets the manifests of sealed months, and the content of some checkpoints.
func FetchCommand(env *cliui.Env) *cobra.Command {
	var o fetchOptions
	cmd := &cobra.Command{
		Use:   "fetch [ID...]",
		Short: "Get the manifests of sealed months, and sealed checkpoints by their IDs",
		Long: `Get from a remote the manifests of the months that were sealed (` + "`entire share seal`" + `):
small lists of the checkpoints' IDs, with which this clone knows what there is. With
IDs, also get the content of these checkpoints, all of them in one connection; with
--month or --all that of whole months.

Commands such as ` + "`entire explain`" + ` get the content that they need themselves, from remotes
that you agreed to share sessions with. This command asks the remote of the branch,
then origin, or the one of --from. It sends nothing.`,
		Example: `  entire share fetch
  entire share fetch a3b2c4d5e6f7 19bbda7dd0b2
  entire share fetch --month 2026-05
  entire share fetch --all --from upstream`,
		RunE: func(cmd *cobra.Command, args []string) error { return runFetch(cmd.Context(), env, args, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "the `REMOTE` to ask")
	f.StringSliceVar(&o.months, "month", nil, "get every checkpoint of the month `YYYY-MM`; may be repeated")
	f.BoolVar(&o.all, "all", false, "get every checkpoint of every month")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("from", workplace.CompleteRemotes(env))
	cmd.RegisterFlagCompletionFunc("month", cobra.NoFileCompletions)
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	return cmd
}

// wanted checks the arguments.
func (o fetchOptions) wanted(args []string) (want share.Wanted, err error) {
	want.All = o.all
	for _, name := range o.months {
		month, ok := epoch.ParseMonth(name)
		if !ok {
			return want, cliui.Failf("as in --month 2026-05", "not a month: %s", cliui.ShownLine(name))
		}
		want.Months = append(want.Months, month)
	}
	for _, name := range args {
		cp, err := id.NewCheckpointID(name)
		if err != nil {
			return want, cliui.Failf("an ID has 12 hex digits, or 26 characters", "not the ID of a checkpoint: %s", cliui.ShownLine(name))
		}
		want.Checkpoints = append(want.Checkpoints, cp)
	}
	return want, nil
}

// A fetchView is the result, as --json prints it.
type fetchView struct {
	Remote      string            `json:"remote"`
	Epochs      int               `json:"epochs"`
	Sealed      int               `json:"sealed_checkpoints"`
	Months      []epoch.Month     `json:"months_fetched"`
	Checkpoints []id.CheckpointID `json:"checkpoints_fetched"`
	Missing     []id.CheckpointID `json:"missing"`
}

func runFetch(ctx context.Context, env *cliui.Env, args []string, o fetchOptions) error {
	want, err := o.wanted(args)
	if err != nil {
		return err
	}
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	remote := o.from
	if remote == "" {
		remotes, err := resume.PreferredRemotes(ctx, wp.Engine)
		if err != nil {
			return err
		}
		if len(remotes) == 0 {
			return cliui.Failf("`git remote add origin URL` adds one", "this repository has no remote")
		}
		remote = remotes[0]
	}
	n := wp.Repo.Network()
	n.Person = workplace.Person(env, o.json)
	got, err := share.Fetch(ctx, wp.Engine, n, remote, want)
	if err != nil {
		return cliui.Failf("`git remote -v` shows the remotes; what is in this clone can be read", "nothing more can be got from %s: %w", cliui.ShownLine(remote), err)
	}
	v := fetchView{remote, got.Epochs, got.Sealed, cliui.NotNil(got.Months), cliui.NotNil(got.Checkpoints), cliui.NotNil(got.Missing)}
	return v.print(env, o.json)
}

func (v fetchView) print(env *cliui.Env, asJSON bool) error {
	if asJSON {
		if err := env.PrintJSON(v); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(env.Out, "%s with %s.\n", cliui.Count(v.Epochs, "sealed month"), cliui.Count(v.Sealed, "checkpoint"))
		if n := len(v.Months) + len(v.Checkpoints); n > 0 {
			fmt.Fprintf(env.Out, "Fetched the content of %s and %s.\n", cliui.Count(len(v.Months), "month"), cliui.Count(len(v.Checkpoints), "checkpoint"))
		}
	}
	if len(v.Missing) > 0 {
		fmt.Fprintf(env.Err, "warning: %s not at %s: %s\n", cliui.Count(len(v.Missing), "checkpoint")+" "+cliui.Plural(len(v.Missing), "is", "are"), cliui.ShownLine(v.Remote), workplace.FirstIDs(v.Missing))
		return cliui.ErrTold
	}
	return nil
}
