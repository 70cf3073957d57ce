package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"entire/internal/search"
)

// completeSearch registers the completions of search's flags: the values in the index, which it
// does not update.
func (w *world) completeSearch(cmd *cobra.Command) {
	cards := map[string]func(search.Card) []string{
		"branch": func(c search.Card) []string { return c.Branches },
		"model":  func(c search.Card) []string { return []string{c.Model} },
		"file":   func(c search.Card) []string { return c.Files },
		"tag":    func(c search.Card) []string { return c.Tags },
	}
	for flag, of := range cards {
		cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return w.completions(cmd, func(l *library) ([]string, error) { return l.indexed(cmd.Context(), of) })
		})
	}
	for flag, values := range map[string][]string{"role": search.Roles, "agent": agentNames(), "since": {"today", "yesterday", "7d", "30d"}, "until": {"today", "yesterday", "7d", "30d"}} {
		cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	cmd.RegisterFlagCompletionFunc("session", func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return w.completeSession(cmd, nil, typed)
	})
	cmd.RegisterFlagCompletionFunc("limit", cobra.NoFileCompletions)
}

// completeQuery completes the name of a filter within a query.
func (w *world) completeQuery(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, field := range search.Fields {
		names = append(names, field+":")
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// indexed returns the distinct values of one field in this project's index.
func (l *library) indexed(ctx context.Context, of func(search.Card) []string) ([]string, error) {
	dir := l.w.cacheDir()
	if dir == "" || !hasFile(searchPath(dir, l.ident.Key)) {
		return nil, nil
	}
	x, err := search.Open(ctx, searchPath(dir, l.ident.Key))
	if err != nil {
		return nil, err
	}
	defer x.Close()
	seen := map[string]bool{"": true}
	var values []string
	for _, kind := range []int{search.Conversation, search.Checkpoint} {
		entries, err := x.Entries(ctx, kind)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			for _, v := range of(e.Card) {
				if !seen[v] && v == shownLine(v) {
					seen[v] = true
					values = append(values, v)
				}
			}
		}
	}
	slices.Sort(values)
	return values, nil
}
