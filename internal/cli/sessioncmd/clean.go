package sessioncmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/retention"
	"entire/internal/term"
	"entire/session"
)

type cleanOptions struct {
	olderThan, inactive, maxSize string
	keep                         int
	all, gone, dryRun, yes, json bool
	emptyTrash, automatic        bool
}

func sessionsCleanCommand(env *cliui.Env) *cobra.Command {
	var o cleanOptions
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Move old conversations to the trash, and compress the rest",
		Long: fmt.Sprintf(`Move conversations that are beyond a limit from the store on this machine to its
trash. Without limits it uses those of strategy_options.retention in the settings,
and of retention.json in the data directory, which apply to all projects together;
if there are none, it asks on a terminal.

It never moves a session that has not ended or was used in the last day (unless by
--inactive), one with work that is in no commit, and any while a rewind is
unfinished. What commits name stays on the metadata branch.

It compresses conversations that stay once they were not used for %s
(compress_after_days; 0 for never). Reading, searching and continuing them works as
before.

A conversation that was in the trash for %s (trash_days) is removed for good by the
second clean that finds it so, a day or more after the first; until then
`+"`entire sessions undelete`"+` restores it. On a terminal it asks first; elsewhere it needs --yes.`,
			retention.Days(retention.DefaultCompress), retention.Days(retention.DefaultGrace)),
		Example: `  entire sessions clean --older-than 30d --dry-run
  entire sessions clean --inactive 14d --yes
  entire sessions clean --max-size 2G --all-projects
  entire sessions clean --keep 100`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error { return clean(cmd.Context(), l, o) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.olderThan, "older-than", "", "conversations begun longer than this `TIME` ago: 30d, 12h, 6w")
	f.StringVar(&o.inactive, "inactive", "", "conversations not used for longer than this `TIME`")
	f.StringVar(&o.maxSize, "max-size", "", "the longest unused ones, until the others take no more than this `SIZE`: 500M, 2G")
	f.IntVar(&o.keep, "keep", 0, "all but the `N` that were used last")
	f.BoolVar(&o.all, "all-projects", false, "in all projects on this machine, judged together")
	f.BoolVar(&o.gone, "gone", false, "also those whose folder is missing: their work may be in no commit")
	f.BoolVar(&o.emptyTrash, "empty-trash", false, "remove everything in the trash for good, now")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "only show what would go, and why, and what would be compressed")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	f.BoolVar(&o.automatic, "automatic", false, "as a hook starts it: never empties the trash")
	f.MarkHidden("automatic")
	for flag, values := range map[string][]string{"older-than": {"30d", "90d", "1y"}, "inactive": {"14d", "30d", "90d"}, "max-size": {"500M", "2G", "10G"}} {
		cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

// policy returns the limits of the flags.
func (o cleanOptions) policy() (p retention.Policy, err error) {
	for _, flag := range []struct {
		name, text string
		into       *time.Duration
	}{{"older-than", o.olderThan, &p.OlderThan}, {"inactive", o.inactive, &p.Inactive}} {
		if flag.text == "" {
			continue
		}
		if *flag.into, err = retention.ParseAge(flag.text); err != nil {
			return p, fmt.Errorf("--%s: %w", flag.name, err)
		}
	}
	if o.maxSize != "" {
		if p.MaxBytes, err = retention.ParseSize(o.maxSize); err != nil {
			return p, fmt.Errorf("--max-size: %w", err)
		}
	}
	if p.Keep = o.keep; o.keep < 0 {
		return p, errors.New("--keep: the number that stays is at least 1")
	}
	return p, nil
}

// clean carries out `entire sessions clean`.
func clean(ctx context.Context, l *sessionlib.Library, o cleanOptions) error {
	p, err := o.policy()
	if err != nil {
		return err
	}
	if o.emptyTrash && (!p.IsZero() || o.automatic) {
		return cliui.Failf("do one after the other", "--empty-trash takes no limits")
	}
	c := &cleaning{Library: l, cleanOptions: o, flags: p, grace: retention.DefaultGrace}
	if err := c.readSettings(); err != nil {
		return err
	}
	if o.emptyTrash {
		return c.emptyAll(ctx)
	}
	if err := c.look(ctx); err != nil {
		return err
	}
	if err := c.choose(ctx); err != nil {
		return err
	}
	if !o.dryRun && len(c.plan.Removals) > 0 {
		if err := c.confirm(ctx, "Move "+cliui.Count(len(c.plan.Removals), "conversation")+" to the trash?", c.text()); err != nil {
			return err
		}
	}
	return c.carryOut(ctx)
}

// readSettings reads the limits in the settings, and how long the trash keeps conversations.
func (c *cleaning) readSettings() error {
	user, err := config.UserRetention(c.Data)
	if err != nil {
		return cliui.ToCorrect("%w", err)
	}
	c.user, c.userCompress = policyOf(user), user.Compress
	var here config.Retention
	if c.Wp != nil {
		here = c.Wp.Settings.Retention()
	} else if p := workplace.FindPlace(c.Dir); p.Folder {
		if s, err := config.Load(p.Settings); config.Readable(err) {
			here = s.Retention()
		}
	}
	c.project, c.projectCompress = policyOf(here), here.Compress
	if here.Grace > 0 {
		c.grace = here.Grace
	} else if user.Grace > 0 {
		c.grace = user.Grace
	}
	return nil
}

func policyOf(r config.Retention) retention.Policy {
	return retention.Policy{OlderThan: r.OlderThan, Inactive: r.Inactive, MaxBytes: r.MaxBytes, Keep: r.Keep}
}

// confirm asks on a terminal; elsewhere it returns an error without --yes.
func (c *cleaning) confirm(ctx context.Context, question, detail string) error {
	if c.yes || c.automatic {
		return nil
	}
	t := c.Env.Terminal()
	if !t.Interactive {
		return cliui.Failf("add --yes, or --dry-run to see what would go", "sessions clean needs confirmation on a terminal")
	}
	fmt.Fprint(c.Env.Err, detail)
	ok, err := t.Confirm(ctx, question, "`entire sessions undelete` restores each, for "+retention.Days(c.grace)+".")
	if errors.Is(err, term.ErrCancelled) || err == nil && !ok {
		fmt.Fprintln(c.Env.Err, "Nothing was changed.")
		return cliui.ErrTold
	}
	return err
}

// emptyAll removes everything in the trash for good.
func (c *cleaning) emptyAll(ctx context.Context) error {
	stores, err := c.stores()
	if err != nil {
		return err
	}
	for _, key := range stores {
		trash, err := c.StoreOf(key).Trash(ctx)
		if err != nil {
			return err
		}
		c.trash.Sessions += len(trash)
	}
	if c.trash.Sessions > 0 && !c.dryRun {
		t := c.Env.Terminal()
		if !c.yes && !t.Interactive {
			return cliui.Failf("add --yes", "emptying the trash needs confirmation on a terminal")
		}
		if !c.yes {
			ok, err := t.Confirm(ctx, "Remove "+cliui.Count(c.trash.Sessions, "deleted conversation")+" for good?", "It cannot be undone.")
			if errors.Is(err, term.ErrCancelled) || err == nil && !ok {
				fmt.Fprintln(c.Env.Err, "Nothing was changed.")
				return cliui.ErrTold
			}
			if err != nil {
				return err
			}
		}
		for _, key := range stores {
			gone, err := c.StoreOf(key).EmptyTrash(ctx)
			c.emptied.Sessions += gone.Sessions
			c.emptied.Bytes += gone.Bytes
			if err != nil {
				return err
			}
		}
	}
	if c.json {
		return c.Env.PrintJSON(c.view())
	}
	if c.dryRun {
		_, err = fmt.Fprintf(c.Env.Out, "In the trash: %s\n", cliui.Count(c.trash.Sessions, "conversation"))
		return err
	}
	_, err = fmt.Fprintf(c.Env.Out, "Removed %s from the trash (%s)\n", cliui.Count(c.emptied.Sessions, "conversation"), retention.Bytes(c.emptied.Bytes))
	return err
}

// A cleaning is one clean-up of conversations.
type cleaning struct {
	*sessionlib.Library
	cleanOptions
	flags, project, user retention.Policy
	grace                time.Duration

	projectCompress, userCompress time.Duration // in the form of config.Retention

	all     map[string]session.Candidate // by project and ID
	plain   []retention.Session
	plan    retention.Plan
	taken   []retention.Removal // the part of the plan that went to the trash
	kept    []retention.Exempt  // what stays
	emptied session.Gone
	trash   session.Gone // the content of the trash afterwards
	due     time.Time    // when the first in the trash may be removed

	compressed session.Compressed
}
