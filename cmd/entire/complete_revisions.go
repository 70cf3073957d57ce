package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// completeRevisions lists branches and tags for the shell, without Entire's own. Of a range it
// completes only the end.
func (w *world) completeRevisions(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	quiet := *w
	quiet.err = io.Discard
	wp, err := quiet.openQuietly(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer wp.close()
	out, err := wp.repo.Run(cmd.Context(), "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	begin := ""
	if i := strings.LastIndex(typed, ".."); i >= 0 {
		begin = typed[:i] + ".."
		if strings.HasPrefix(typed[i:], "...") {
			begin += "."
		}
	}
	names := []string{begin + "HEAD"}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSuffix(name, "\n")
		if !strings.HasPrefix(name, "entire/") && !strings.Contains(name, "/entire/") {
			names = append(names, begin+name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
