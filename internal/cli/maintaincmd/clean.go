package maintaincmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/strategy/handoff"
	"entire/strategy/maintain"
	"entire/strategy/sessionstate"
)

// CleanCommand shows and removes what belongs to nothing any more.
func CleanCommand(env *cliui.Env) *cobra.Command {
	var force, asJSON bool
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Show orphaned data, and remove it",
		Long: `Show orphaned data: shadow branches and states of sessions that no longer exist,
steps that were set aside, checkpoints of the auto-commit strategy that no commit
names, locks and temporary files. With --force the command removes them.

It lists only what is proven to be orphaned: nothing that an open session may need,
and no branch that only has a similar name. It removes only what has not changed
since it was listed.`,
		Example: `  entire doctor clean
  entire doctor clean --force`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runClean(cmd.Context(), env, force, asJSON) },
	}
	cmd.Flags().BoolVarP(&force, "force", "f", false, "delete it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	cmd.Flags().Bool("all", false, "accepted: it always looks at the whole repository")
	cmd.Flags().BoolP("dry-run", "n", false, "accepted: it removes nothing without --force")
	cliui.HideFlags(cmd.Flags(), "all", "dry-run")
	return cmd
}

// An orphanView is one orphaned item, as --json prints it.
type orphanView struct {
	Kind    handoff.OrphanKind `json:"kind"`
	Name    string             `json:"name"`
	Why     string             `json:"why"`
	Deleted bool               `json:"deleted"`
	Error   string             `json:"error,omitempty"`
}

type cleanView struct {
	Items   []orphanView            `json:"items"`
	Foreign []sessionstate.KeptFile `json:"left_alone"`
	Failed  int                     `json:"failed"`
}

func runClean(ctx context.Context, env *cliui.Env, force, asJSON bool) error {
	wp, err := workplace.Open(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	plan, err := maintain.PlanCleanup(ctx, wp.Engine)
	if err != nil {
		return err
	}
	v := cleanView{Items: []orphanView{}, Foreign: cliui.NotNil(plan.Foreign)}
	if force {
		deleted, failed := maintain.Cleanup(ctx, wp.Engine, plan)
		for _, o := range deleted {
			v.Items = append(v.Items, orphanView{Kind: o.Kind, Name: named(wp, o), Why: o.Why, Deleted: true})
		}
		for _, o := range failed {
			v.Items = append(v.Items, orphanView{Kind: o.Kind, Name: named(wp, o.Orphan), Why: o.Why, Error: o.Err.Error()})
		}
		v.Failed = len(failed)
	} else {
		for _, o := range plan.Orphans {
			v.Items = append(v.Items, orphanView{Kind: o.Kind, Name: named(wp, o), Why: o.Why})
		}
	}
	if err := printClean(env, v, force, asJSON); err != nil {
		return err
	}
	if v.Failed > 0 {
		return fmt.Errorf("failed to delete %s", itemCount(v.Failed))
	}
	return nil
}

// named returns an orphan's name for people.
func named(wp *workplace.Workplace, o handoff.Orphan) string {
	if o.Kind == handoff.OrphanFile {
		return cliui.ShownPath(wp.Repo.Top, o.Name)
	}
	return o.Name
}

func printClean(env *cliui.Env, v cleanView, force, asJSON bool) error {
	if asJSON {
		return env.PrintJSON(v)
	}
	var b strings.Builder
	gone := slices.DeleteFunc(slices.Clone(v.Items), func(o orphanView) bool { return force && !o.Deleted })
	failed := slices.DeleteFunc(slices.Clone(v.Items), func(o orphanView) bool { return o.Error == "" })
	switch {
	case len(v.Items) == 0:
		b.WriteString("No orphaned items to clean up.\n")
	case !force:
		fmt.Fprintf(&b, "Found %d orphaned items:\n\n", len(gone))
	case len(gone) > 0:
		fmt.Fprintf(&b, "Deleted %d items:\n\n", len(gone))
	}
	writeOrphans(&b, gone)
	if len(v.Foreign) > 0 {
		fmt.Fprintf(&b, "\nLeft alone (%d):\n", len(v.Foreign))
		for _, k := range v.Foreign {
			fmt.Fprintf(&b, "  %s (%s)\n", cliui.ShownName(k.Path), k.Why)
		}
	}
	if !force && len(gone) > 0 {
		b.WriteString("\nRun with --force to delete these items.\n")
	}
	for _, o := range failed {
		fmt.Fprintf(env.Err, "warning: %s was not deleted: %s\n", o.Name, o.Error)
	}
	_, err := fmt.Fprint(env.Out, b.String())
	return err
}

// orphanTitles are the sections of the list, in order.
var orphanTitles = []struct {
	kind  handoff.OrphanKind
	title string
}{
	{handoff.OrphanBranch, "Shadow branches"},
	{handoff.OrphanState, "Session states"},
	{handoff.OrphanCheckpoint, "Checkpoint metadata"},
	{handoff.OrphanAside, "Steps set aside"},
	{handoff.OrphanBacklog, "Transcript parts"},
	{handoff.OrphanUndo, "Undo points"},
	{handoff.OrphanTurns, "Turns of commits"},
	{handoff.OrphanTeleport, "Teleports"},
	{handoff.OrphanFile, "Files"},
}

func writeOrphans(b *strings.Builder, items []orphanView) {
	first := true
	for _, section := range orphanTitles {
		some := slices.DeleteFunc(slices.Clone(items), func(o orphanView) bool { return o.Kind != section.kind })
		if len(some) == 0 {
			continue
		}
		if !first {
			b.WriteString("\n")
		}
		first = false
		fmt.Fprintf(b, "%s (%d):\n", section.title, len(some))
		for _, o := range some {
			fmt.Fprintf(b, "  %s (%s)\n", cliui.ShownName(o.Name), o.Why)
		}
	}
}

// itemCount returns the number in the form that scripts know.
func itemCount(n int) string { return fmt.Sprintf("%d items", n) }
