package checkpointcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/term"
	"entire/strategy/rewind"
)

func checkpointsDiffCommand(env *cliui.Env) *cobra.Command {
	var o workplace.CheckpointsOptions
	cmd := &cobra.Command{
		Use:   "diff A [B] [-- PATH...]",
		Short: "Compare two points, or one with the present worktree",
		Long: `Compare the files of two points, or of one with the present worktree. Lines that
were added since A have a "+". Paths are relative to the current directory, as in git.

If standard output is not a terminal, ` + "`git apply`" + ` accepts the patch.`,
		Example: `  entire checkpoints diff bfe1ee2              # from there to the present
  entire checkpoints diff bfe1ee2 c0ffee1 --stat
  entire checkpoints diff bfe1ee2 -- src/main.go`,
		Args: func(cmd *cobra.Command, args []string) error {
			if points, _ := cliui.SplitPaths(cmd, args); len(points) < 1 || len(points) > 2 {
				return cliui.Failf("`entire checkpoints diff A B -- PATH`; files come after --", "%s names one point or two, not %d", cmd.CommandPath(), len(points))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			points, paths := cliui.SplitPaths(cmd, args)
			return checkpointsDiff(cmd.Context(), env, points, paths, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Stat, "stat", false, "only the files and how many lines")
	f.BoolVar(&o.JSON, "json", false, "print a JSON object, without lines")
	f.BoolVar(&o.NoPager, "no-pager", false, "never use a pager")
	cmd.ValidArgsFunction = workplace.CompletePoints(env, 2)
	return cmd
}

// A pointDiff is the JSON form of a comparison.
type pointDiff struct {
	From       string                  `json:"from"`
	To         string                  `json:"to"` // "" is the worktree
	Files      []workplace.ChangedFile `json:"files"`
	Insertions int                     `json:"insertions"`
	Deletions  int                     `json:"deletions"`
	Kept       []string                `json:"not_compared"` // "path (why)": content of the worktree that no checkpoint can hold
}

func checkpointsDiff(ctx context.Context, env *cliui.Env, names, paths []string, o workplace.CheckpointsOptions) error {
	wp, err := workplace.OpenEnabled(ctx, env)
	if err != nil || wp == nil {
		return err
	}
	defer wp.Close()
	within, err := workplace.RepoPaths(env, wp, paths)
	if err != nil {
		return err
	}
	d := pointDiff{Kept: []string{}}
	var pair [2]git.OID
	for i, name := range names {
		point, err := workplace.FindPoint(ctx, wp, name)
		if err != nil {
			return err
		}
		c, _, err := wp.Repo.Reader(ctx).CommitOf(point.ID)
		if err != nil {
			return err
		}
		pair[i] = c.Tree
		*[]*string{&d.From, &d.To}[i] = point.ID
	}
	if len(names) == 1 {
		tree, skipped, err := rewind.PresentTree(ctx, wp.Engine)
		if err != nil {
			return err
		}
		pair[1] = tree
		for _, k := range skipped {
			d.Kept = append(d.Kept, fmt.Sprintf("%s (%s)", strings.ToValidUTF8(k.Path, "\uFFFD"), k.Why))
		}
	}
	changes, err := treeChanges(ctx, wp, pair, within)
	if err != nil {
		return err
	}
	return showDiff(ctx, env, wp, d, pair, changes, o)
}

func showDiff(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, d pointDiff, pair [2]git.OID, changes []git.LineCount, o workplace.CheckpointsOptions) error {
	if o.JSON {
		d.Files = workplace.ChangedFiles(changes)
		for _, c := range changes {
			d.Insertions += max(c.Added, 0)
			d.Deletions += max(c.Removed, 0)
		}
		return env.PrintJSON(d)
	}
	for _, kept := range d.Kept {
		fmt.Fprintf(env.Err, "warning: not compared: %s\n", cliui.ShownLine(kept))
	}
	if o.Stat {
		return env.Show(ctx, workplace.StatText(changes, env.Screen()), o.NoPager)
	}
	patch, err := workplace.PatchOf(ctx, wp, pair, changes)
	if err != nil {
		return err
	}
	if !term.IsTerminal(env.Out) { // as git prints it, for a file or another program
		_, err := env.Raw().Write(patch)
		return err
	}
	return env.Show(ctx, workplace.PatchText(env, patch), o.NoPager)
}

// treeChanges returns the differences between two trees at or below the paths; everywhere if
// there are no paths.
func treeChanges(ctx context.Context, wp *workplace.Workplace, pair [2]git.OID, within []string) ([]git.LineCount, error) {
	found, err := wp.Repo.CountLines(ctx, [][2]git.OID{pair}, ".entire")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found[0], func(c git.LineCount) bool { return !workplace.Covered(within, c.Path) }), nil
}
