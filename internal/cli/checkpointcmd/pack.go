package checkpointcmd

import (
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"entire/checkpoint/pack"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/summarize"
)

func packCommand(env *cliui.Env) *cobra.Command {
	var byItself, asJSON bool
	cmd := &cobra.Command{
		Use:   "pack",
		Short: "Put what is stored into packs, which are smaller",
		Long: `Put the loose objects of checkpoints and turns into packs of git, which take about a
third of the space. Commits do it by themselves, in the background and at low priority, when
about 1,000 objects are loose, at most every ten minutes; ` + "`git config gc.auto 0`" + ` or
` + "`git config maintenance.auto false`" + ` turn that off. Nothing is lost and nothing else is
packed: it is a part of what ` + "`git gc`" + ` does for the whole repository.`,
		Example: `  entire checkpoints pack
  entire checkpoints pack --json`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			wp, err := workplace.Open(ctx, env)
			if err != nil {
				return err
			}
			if byItself {
				summarize.Yield()
			}
			r, err := pack.Run(ctx, wp.Repo, env.Now(), byItself)
			switch {
			case err != nil && byItself: // nobody reads what this process prints
				wp.Engine.Log.Warn("what is stored is not packed", "err", err)
				return err
			case err != nil:
				return cliui.Failf("`git fsck` tells whether objects are missing; nothing was removed", "the objects were not packed: %w", err)
			case asJSON:
				return env.PrintJSON(r)
			case r.Busy:
				_, err = fmt.Fprintln(env.Out, "Another process is packing them.")
			case r.Objects == 0:
				_, err = fmt.Fprintln(env.Out, "Nothing to pack.")
			default:
				_, err = fmt.Fprintf(env.Out, "Packed %s into %s.\n", cliui.Count(r.Objects, "object"), humanize.Bytes(uint64(r.Bytes)))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&byItself, "by-itself", false, "as a commit does it: only if it is worth while")
	f.BoolVar(&asJSON, "json", false, "print a JSON object")
	_ = f.MarkHidden("by-itself")
	return cmd
}
