package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/strategy/step"
)

// completePoints offers the points of this worktree to a shell, for the first n arguments; files
// come after "--". For a flag's value n is -1.
func (w *world) completePoints(n int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if dash := cmd.ArgsLenAtDash(); dash >= 0 && dash < len(args) { // cobra adds a "--" of its own at the end
			return nil, cobra.ShellCompDirectiveDefault
		}
		if n >= 0 && len(args) >= n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		wp, err := w.openQuietly(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer wp.close()
		points, err := step.Points(cmd.Context(), wp.engine, 0)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var found []string
		for _, p := range points {
			short := shortID(p.ID)
			if strings.HasPrefix(p.ID, begun) && !slices.Contains(args, short) {
				found = append(found, cobra.CompletionWithDesc(short, viewPoint(p).what()))
			}
		}
		if len(found) == 0 && len(args) > 0 { // cobra does not report a "--" that was just typed
			return nil, cobra.ShellCompDirectiveDefault
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}
