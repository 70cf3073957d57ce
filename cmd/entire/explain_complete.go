package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// completeBranch completes the names that pick returns for each checkpoint of the branch, with
// its prompt.
func (w *world) completeBranch(pick func(listGroup) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		wp, err := w.openQuietly(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer wp.close()
		groups, err := branchGroups(cmd.Context(), wp, "")
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var found []string
		seen := map[string]bool{}
		for _, g := range groups {
			for _, name := range pick(g) {
				if strings.HasPrefix(name, begun) && !seen[name] && name == shownLine(name) {
					seen[name] = true
					found = append(found, cobra.CompletionWithDesc(name, shortLine(g.Prompt, promptRunes)))
				}
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// checkpointNames returns the ID of a checkpoint, or the IDs of a session's steps.
func checkpointNames(g listGroup) []string {
	if !g.Temporary {
		return []string{g.ID}
	}
	var names []string
	for _, p := range g.Points {
		names = append(names, p.ID[:min(7, len(p.ID))])
	}
	return names
}

func sessionNames(g listGroup) []string { return g.Sessions }
