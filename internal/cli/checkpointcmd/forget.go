package checkpointcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/tombstone"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/term"
	"entire/strategy/maintain"
)

type forgetOptions struct {
	reason, author    string
	dryRun, yes, json bool
}

// ForgetCommand removes stored checkpoints for good.
func ForgetCommand(env *cliui.Env) *cobra.Command {
	var o forgetOptions
	cmd := &cobra.Command{
		Use:   "forget [ID...]",
		Short: "Remove stored checkpoints from the history for good",
		Long: `Remove checkpoints that commits name (Entire-Checkpoint: ID) from the branch
entire/checkpoints/v1. The command rewrites the branch's commits without them, from
the first that has one. A tombstone stays, with the ID, the time and the reason: at
the next sync other clones drop the checkpoints, too, and nothing is written under
these IDs again. An ID may be shortened as long as it is unambiguous. --author takes
all checkpoints of a person, by the address of those who committed them first.

It cannot be undone. On a terminal it asks first; elsewhere it needs --yes.

What stays: your commits and their trailers; the conversation in the session store
on this machine (` + "`entire sessions delete`" + `) and in the agent's own files; other
checkpoints of the same session, which have the conversation from its beginning; and
the objects themselves, here until ` + "`git gc --prune=now`" + ` and at remotes until they
are pruned there. ` + "`entire share push`" + ` replaces the branch at the remotes.`,
		Example: `  entire share forget a3b2c4d5e6f7 --dry-run
  entire share forget a3b2c4d5e6f7 --reason "a customer's name"
  entire share forget a3b2c4 19bbda --yes
  entire share forget --author ann@example.com --dry-run`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && o.author == "" {
				return cliui.Failf("`entire log` lists the checkpoints of the commits here", "which checkpoint? give its ID")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return checkpointsForget(cmd.Context(), env, args, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.reason, "reason", "", "the `REASON`, in a line that everybody who has the branch can read")
	f.StringVar(&o.author, "author", "", "all checkpoints of the person with this `ADDRESS`")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "only show what would go")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVarP(&o.yes, "force", "f", false, "the same as --yes")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.RegisterFlagCompletionFunc("reason", cobra.NoFileCompletions)
	cmd.RegisterFlagCompletionFunc("author", cobra.NoFileCompletions)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return workplace.CompleteBranch(env, func(g workplace.ListGroup) []string {
			if g.Temporary || slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(g.ID, arg) }) {
				return nil
			}
			return []string{g.ID}
		})(cmd, args, typed)
	}
	return cmd
}

func checkpointsForget(ctx context.Context, env *cliui.Env, names []string, o forgetOptions) error {
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	ids, already, err := forgettable(ctx, wp, names)
	if err == nil && o.author != "" {
		ids, err = withAuthor(ctx, wp, ids, o.author)
	}
	if err != nil {
		return err
	}
	v := forgetView{DryRun: o.dryRun, Already: already, Checkpoints: []forgetItem{}, Held: []heldRef{}}
	if len(ids) == 0 {
		return tellForgotten(env, v, o)
	}
	wp.FetchMissing(ctx, env, ids) // those that are sealed, and whose content is not here
	v, extent, err := viewForgetting(ctx, wp, ids, v)
	if err != nil {
		return err
	}
	if o.dryRun {
		return tellForgotten(env, v, o)
	}
	if err := mayForget(ctx, env, v, o); err != nil {
		return err
	}
	bar := commitProgress(env)
	old, tip, err := maintain.Forget(ctx, wp.Engine, ids, o.reason, bar.tell)
	bar.done()
	if errors.Is(err, tombstone.ErrShallowHistory) {
		return cliui.Failf("nothing was changed", "%w", err)
	}
	if err != nil {
		return err
	}
	v.Old, v.Tip = old.String(), tip.String()
	dropCaches(ctx, env, wp)
	return finishForgetting(ctx, env, wp, ids, extent, v, o)
}

// finishForgetting prints the result, and which refs still hold the checkpoints.
func finishForgetting(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, ids []id.CheckpointID, extent tombstone.Extent, v forgetView, o forgetOptions) error {
	held, err := tombstone.RefsReaching(ctx, records.NewReader(wp.Repo), ids, extent)
	if err != nil {
		return fmt.Errorf("the checkpoints are forgotten, but the search for refs that still hold them failed: %w", err)
	}
	v.hold(held)
	return tellForgotten(env, v, o)
}

// mayForget asks a person to confirm. Where nobody can be asked it returns an error unless --yes
// is given.
func mayForget(ctx context.Context, env *cliui.Env, v forgetView, o forgetOptions) error {
	if o.yes {
		return nil
	}
	what := cliui.Count(len(v.Checkpoints), "checkpoint")
	if o.json || !env.Terminal().Interactive {
		return cliui.Failf("add --yes to do it, or --dry-run to see what would go", "forgetting %s cannot be undone", what)
	}
	fmt.Fprint(env.Err, v.text(true))
	yes, err := env.Terminal().Confirm(ctx, "Forget "+what+" for good?", "It cannot be undone.")
	switch {
	case errors.Is(err, term.ErrCancelled), err == nil && !yes:
		fmt.Fprintln(env.Err, "Nothing was changed.")
		return cliui.ErrTold
	}
	return err
}

// forgettable returns the checkpoints that the names mean, each once, and the tombstones of those
// that are already forgotten.
func forgettable(ctx context.Context, wp *workplace.Workplace, names []string) (ids []id.CheckpointID, already []metadata.Tombstone, err error) {
	reader := records.NewReader(wp.Repo)
	tombstones, err := reader.Forgotten(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	seen := map[id.CheckpointID]bool{}
	for _, name := range names {
		found, err := reader.FindByPrefix(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		gone := workplace.StonesOf(tombstones, name)
		if len(found)+len(gone) == 0 {
			if found, err = meantByForget(ctx, wp, name); err != nil {
				return nil, nil, err
			}
		}
		switch {
		case name == "" || len(found)+len(gone) == 0:
			return nil, nil, cliui.Failf("`entire log` lists the checkpoints of the commits here; `git fetch` brings those of others", "checkpoint not found: %s", cliui.ShownLine(name))
		case len(found) > 1 || len(found) == 0 && len(gone) > 1:
			return nil, nil, cliui.Failf("give more digits", "ambiguous checkpoint prefix %q matches %d checkpoints: %s", cliui.ShownLine(name), len(found)+len(gone), workplace.FirstIDs(append(found, idsOf(gone)...)))
		case len(found) == 1 && !seen[found[0]]:
			seen[found[0]] = true
			ids = append(ids, found[0])
		case len(found) == 0 && !seen[gone[0].ID]:
			seen[gone[0].ID] = true
			already = append(already, gone[0])
		}
	}
	return ids, already, nil
}

// meantByForget returns the one checkpoint of a session or commit. It returns an error where that
// has several: each must be named.
func meantByForget(ctx context.Context, wp *workplace.Workplace, name string) ([]id.CheckpointID, error) {
	m, err := wp.MeaningOf(ctx, name)
	if errors.Is(err, workplace.ErrNoMeaning) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found, err := wp.CheckpointsOf(ctx, m)
	if len(found) > 1 {
		return nil, cliui.Failf("name those that are to go", "%s %s has %d checkpoints: %s", m.Kind, m.Shown(), len(found), workplace.FirstIDs(found))
	}
	return found, err
}

// withAuthor adds the checkpoints of a person.
func withAuthor(ctx context.Context, wp *workplace.Workplace, ids []id.CheckpointID, email string) ([]id.CheckpointID, error) {
	theirs, absent, err := records.NewReader(wp.Repo).ByAuthor(ctx, email)
	switch {
	case err != nil:
		return nil, err
	case len(absent) > 0:
		return nil, cliui.Failf("`entire share fetch --all` brings them; then say it again", "%s may have checkpoints of %s and are not in this clone", cliui.Count(len(absent), "sealed month"), cliui.ShownLine(email))
	case len(theirs) == 0:
		return nil, cliui.Failf("`git log entire/checkpoints/v1` has the addresses; those in commits of the code do not count", "no checkpoint here is by %s", cliui.ShownLine(email))
	}
	for _, cp := range theirs {
		if !slices.Contains(ids, cp) {
			ids = append(ids, cp)
		}
	}
	return ids, nil
}

func idsOf(tombstones []metadata.Tombstone) (ids []id.CheckpointID) {
	for _, t := range tombstones {
		ids = append(ids, t.ID)
	}
	return ids
}
