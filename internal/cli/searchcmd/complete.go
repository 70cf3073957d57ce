package searchcmd

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/search"
)

// completeSearch registers the completions of search's flags: the values in the index, which it
// does not update.
func completeSearch(env *cliui.Env, cmd *cobra.Command) {
	cards := map[string]func(search.Card) []string{
		"branch": func(c search.Card) []string { return c.Branches },
		"model":  func(c search.Card) []string { return []string{c.Model} },
		"file":   func(c search.Card) []string { return c.Files },
		"tag":    func(c search.Card) []string { return c.Tags },
	}
	for flag, of := range cards {
		cmd.RegisterFlagCompletionFunc(flag, sessionlib.CompleteNames(env, func(ctx context.Context, l *sessionlib.Library) ([]string, error) { return indexed(ctx, l, of) }))
	}
	for flag, values := range map[string][]string{"role": search.Roles, "agent": workplace.AgentNames(), "since": {"today", "yesterday", "7d", "30d"}, "until": {"today", "yesterday", "7d", "30d"}} {
		cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	cmd.RegisterFlagCompletionFunc("session", sessionlib.CompleteSessions(env))
	cmd.RegisterFlagCompletionFunc("limit", cobra.NoFileCompletions)
}

// completeQuery completes the name of a filter within a query.
func completeQuery(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, field := range search.Fields {
		names = append(names, field+":")
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// indexed returns the distinct values of one field in this project's index.
func indexed(ctx context.Context, l *sessionlib.Library, of func(search.Card) []string) ([]string, error) {
	dir := workplace.CacheDir(l.Env)
	if dir == "" || !cliui.HasFile(workplace.SearchIndexPath(dir, l.Ident.Key)) {
		return nil, nil
	}
	x, err := search.Open(ctx, workplace.SearchIndexPath(dir, l.Ident.Key))
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
				if !seen[v] && v == cliui.ShownLine(v) {
					seen[v] = true
					values = append(values, v)
				}
			}
		}
	}
	slices.Sort(values)
	return values, nil
}
