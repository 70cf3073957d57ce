package usagecmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/usagelib"
)

type usageOptions struct {
	usagelib.Options
	since, until       string
	json, csv, noPager bool
	limit              int
}

// Register adds the commands to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	parent.AddCommand(usageCommand(env), recapCommand(env))
}

func usageCommand(env *cliui.Env) *cobra.Command {
	var o usageOptions
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Count the tokens of sessions, and what they cost",
		Long: `Count the tokens of this project's sessions by kind, and what they cost, from the
store and the metadata branch. An answer counts once, whether it was streamed in many
messages, or is in a fork, a resumed session or a copy, too.

A bar's light part, ░, was thrown away: it was rewound, its session ended without a
commit after it, or its commit is on no branch any more. With --by file the tokens of
a commit are shared equally among the files that its sessions changed. With --by pr,
the messages of merge and squash commits say which pull request brought the work.

The prices are a table with a date in this program. A file .entire/prices.json in the
repository, or the one of --prices, adds to them and replaces them; docs/usage.md shows
its form. A model that has no price is named, and costs nothing here.`,
		Example: `  entire usage
  entire usage --by commit --since 30d
  entire usage --by pr --since 2w   # pull requests, and branches without one
  entire usage --by model --all     # of every project on this machine
  entire usage --session 6e1f0d2 --by model
  entire usage --by file --csv >files.csv
  entire usage --json | jq .thrown_away.cost_usd`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.json && o.csv {
				return cliui.Failf("use one of them", "cannot specify both --json and --csv")
			}
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error { return o.run(cmd.Context(), l) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.By, "by", "day", "group by `WHAT`: "+strings.Join(usagelib.Dimensions(), ", "))
	f.StringVar(&o.since, "since", "", "only answers since `WHEN`: 2026-03-01, an RFC 3339 time, yesterday, or 30d, 2w, 12h ago")
	f.StringVar(&o.until, "until", "", "only answers until `WHEN`; a day is included")
	f.BoolVar(&o.All, "all", false, "the sessions of every project on this machine")
	f.StringVar(&o.Session, "session", "", "only the session with this `ID`, without the answers that it has from another")
	f.StringVar(&o.Prices, "prices", "", "a `FILE` with prices")
	f.IntVar(&o.limit, "limit", 40, "at most `N` rows, where people see them; 0 is no limit")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	f.BoolVar(&o.csv, "csv", false, "print a line with comma-separated values for each row")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(usagelib.Dimensions(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("session", sessionlib.CompleteSessions(env))
	cmd.RegisterFlagCompletionFunc("since", cobra.NoFileCompletions)
	cmd.RegisterFlagCompletionFunc("until", cobra.NoFileCompletions)
	return cmd
}

func (o *usageOptions) run(ctx context.Context, l *sessionlib.Library) (err error) {
	if o.limit < 0 {
		return cliui.Failf("0 is no limit", "--limit is %d", o.limit)
	}
	now := l.Env.Now()
	if o.Since, err = cliui.Moment(o.since, now, false); err != nil {
		return err
	}
	if o.Until, err = cliui.Moment(o.until, now, true); err != nil {
		return err
	}
	if o.Session != "" {
		s, err := l.FindByID(ctx, o.Session)
		if err != nil {
			return err
		}
		o.Session = s.ID
	}
	show, done := l.Env.Progress()
	o.Progress = func(read, all int) { show("sessions", read, all) }
	r, err := usagelib.Read(ctx, l, o.Options)
	done()
	if err != nil {
		return err
	}
	for _, p := range r.Problems {
		fmt.Fprintf(l.Env.Err, "warning: not counted: %s\n", cliui.ShownLine(p))
	}
	if len(r.Rows) == 0 {
		l.TellUnfetched(ctx)
	}
	switch {
	case o.json:
		return l.Env.PrintJSON(r)
	case o.csv:
		return writeCSV(l.Env.Out, r)
	}
	return l.Env.Show(ctx, reportText{r, l.Env.Screen(), l.Env.Width(), o.limit}.String(), o.noPager)
}
