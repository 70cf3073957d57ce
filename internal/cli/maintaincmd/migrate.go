package maintaincmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entire/checkpoint/migrate"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

type migrateOptions struct {
	to                 string
	dryRun, yes, force bool
	json               bool
}

// migrateCommand moves checkpoints between the branch and refs.
func migrateCommand(env *cliui.Env) *cobra.Command {
	var o migrateOptions
	cmd := &cobra.Command{
		Use:   "migrate --to branch|refs",
		Short: "Move checkpoints to the branch, or into refs of their own",
		Long: `Move all checkpoints of this clone from the branch entire/checkpoints/v1 into refs of
their own (refs/entire/checkpoints/XX/ID), or back.

Nothing is lost: a ref gets the versions that the branch has of its checkpoint, and the
branch keeps the history of each ref, so that the refs can be made again byte for byte.
An interrupted move is finished by running the command again. Checkpoints that are in
both places with different content stay, and are named.

Commits, trailers and IDs stay as they are, and every command reads both places. Where
new checkpoints go is said by the settings, not by this command. Remotes get what moved
with the next push of sessions.`,
		Example: `  entire doctor migrate --to refs --dry-run
  entire doctor migrate --to refs
  entire doctor migrate --to branch --yes`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runMigrate(cmd.Context(), env, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.to, "to", "", "move them to this `PLACE`: branch or refs")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "only show what would move")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVarP(&o.force, "force", "f", false, "the same as --yes")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions([]string{"branch\tentire/checkpoints/v1", "refs\trefs/entire/checkpoints/XX/ID"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// A migrateView is the result, as --json prints it.
type migrateView struct {
	To      migrate.Target    `json:"to"`
	DryRun  bool              `json:"dry_run"`
	Move    int               `json:"to_move"`
	Already int               `json:"already_there"`
	Moved   []id.CheckpointID `json:"moved"`
	Differ  []id.CheckpointID `json:"differ"` // in both places, with different content
	Left    []id.CheckpointID `json:"left"`   // not complete here, or changed meanwhile
}

func runMigrate(ctx context.Context, env *cliui.Env, o migrateOptions) error {
	to := migrate.Target(o.to)
	if to != migrate.ToBranch && to != migrate.ToRefs {
		return cliui.Failf("--to branch or --to refs", "checkpoints cannot move to %q", cliui.ShownLine(o.to))
	}
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	plan, err := migrate.Find(ctx, wp.Repo, to)
	if err != nil {
		return err
	}
	v := migrateView{To: to, DryRun: o.dryRun, Move: len(plan.Move), Already: plan.Already, Moved: []id.CheckpointID{}, Differ: cliui.NotNil(plan.Differ), Left: []id.CheckpointID{}}
	if o.dryRun || len(plan.Move) == 0 {
		return printMigration(env, wp, v, o)
	}
	if !o.yes && !o.force {
		what := fmt.Sprintf("Move %s to %s?", cliui.Count(len(plan.Move), "checkpoint"), placeText(to))
		if err := env.Consent(ctx, "--yes", "migrate", what, "Nothing is lost, and `entire doctor migrate` moves them back."); err != nil {
			return err
		}
	}
	author := wp.Repo.Identity(ctx)
	author.When = env.Now()
	show, finished := env.Progress()
	done, err := plan.Run(ctx, wp.Repo, author, func(done, total int) { show("checkpoints", done, total) })
	finished()
	if err != nil {
		return cliui.WithHint(err, fmt.Sprintf("%s moved; run it again to finish", cliui.Count(len(done.Moved), "checkpoint")))
	}
	v.Moved, v.Left = cliui.NotNil(done.Moved), cliui.NotNil(done.Left)
	return printMigration(env, wp, v, o)
}

func placeText(to migrate.Target) string {
	if to == migrate.ToRefs {
		return "refs of their own"
	}
	return "the branch entire/checkpoints/v1"
}

// printMigration prints the result. It returns an error if checkpoints stay where they were.
func printMigration(env *cliui.Env, wp *workplace.Workplace, v migrateView, o migrateOptions) error {
	var err error
	if o.json {
		err = env.PrintJSON(v)
	} else {
		_, err = fmt.Fprint(env.Out, v.text(wp.Settings.CheckpointRefs))
	}
	for _, stays := range []struct {
		ids []id.CheckpointID
		why string
	}{
		{v.Differ, "in both places, with different content"},
		{v.Left, "their history is not complete here, as in a shallow clone, or they have just changed"},
	} {
		if n := len(stays.ids); n > 0 {
			fmt.Fprintf(env.Err, "warning: %s %s (%s): %s\n", cliui.Count(n, "checkpoint"), cliui.Plural(n, "stays", "stay"), stays.why, workplace.FirstIDs(stays.ids))
		}
	}
	if err == nil && len(v.Left) > 0 {
		err = cliui.ErrTold
	}
	return err
}

// text describes the result. refs says where the settings put new checkpoints.
func (v migrateView) text(refs bool) string {
	var b strings.Builder
	switch {
	case v.Move == 0:
		fmt.Fprintf(&b, "Nothing to move: %s in %s.\n", cliui.Count(v.Already, "checkpoint")+" "+cliui.Plural(v.Already, "is", "are"), placeText(v.To))
	case v.DryRun:
		fmt.Fprintf(&b, "Would move %s to %s.\n", cliui.Count(v.Move, "checkpoint"), placeText(v.To))
	default:
		fmt.Fprintf(&b, "Moved %s to %s.\n", cliui.Count(len(v.Moved), "checkpoint"), placeText(v.To))
	}
	if refs != (v.To == migrate.ToRefs) {
		kind := map[bool]string{true: "git-refs", false: "git-branch"}
		fmt.Fprintf(&b, "New checkpoints still go to %s: the settings do not say\n  \"checkpoints\": {\"primary\": {\"type\": %q}}\n", placeText(other(v.To)), kind[v.To == migrate.ToRefs])
	}
	return b.String()
}

func other(to migrate.Target) migrate.Target {
	if to == migrate.ToRefs {
		return migrate.ToBranch
	}
	return migrate.ToRefs
}
