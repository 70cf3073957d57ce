package workplace

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/strategy/step"
)

// CompleteNames completes with the names that find returns for this worktree; typed is the beginning of the word. It
// prints nothing, because a shell calls it, and offers nothing after an error.
func CompleteNames(env *cliui.Env, find func(ctx context.Context, wp *Workplace, typed string) ([]string, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) (names []string, _ cobra.ShellCompDirective) {
		quiet := *env
		quiet.Err = io.Discard
		wp, err := OpenWithoutRecovery(cmd.Context(), &quiet)
		if err == nil {
			defer wp.Close()
			names, err = find(cmd.Context(), wp, typed)
		}
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// CompletePoints completes points of this worktree, for the first n arguments; files come after "--". For a flag's
// value n is -1.
func CompletePoints(env *cliui.Env, n int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if dash := cmd.ArgsLenAtDash(); dash >= 0 && dash < len(args) { // cobra adds a "--" of its own at the end
			return nil, cobra.ShellCompDirectiveDefault
		}
		if n >= 0 && len(args) >= n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found, how := CompleteNames(env, func(ctx context.Context, wp *Workplace, typed string) (found []string, err error) {
			points, err := step.Points(ctx, wp.Engine, 0)
			for _, p := range points {
				short := cliui.ShortID(p.ID)
				if strings.HasPrefix(p.ID, typed) && !slices.Contains(args, short) {
					found = append(found, cobra.CompletionWithDesc(short, ViewPoint(p).What()))
				}
			}
			return found, err
		})(cmd, args, typed)
		if len(found) == 0 && len(args) > 0 { // cobra does not report a "--" that was just typed
			return nil, cobra.ShellCompDirectiveDefault
		}
		return found, how | cobra.ShellCompDirectiveKeepOrder
	}
}

// CompletePointsAndSessions completes points and sessions for the first argument.
func CompletePointsAndSessions(env *cliui.Env) cobra.CompletionFunc {
	points, sessions := CompletePoints(env, 1), CompleteSessions(env)
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		found, how := points(cmd, args, typed)
		if len(args) > 0 {
			return found, how
		}
		more, _ := sessions(cmd, args, typed)
		return append(found, more...), how
	}
}

// CompleteRevisions completes branches and tags, without Entire's own. Of a range it completes only the end.
func CompleteRevisions(env *cliui.Env) cobra.CompletionFunc {
	return CompleteNames(env, func(ctx context.Context, wp *Workplace, typed string) ([]string, error) {
		out, err := wp.Repo.Run(ctx, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
		if err != nil {
			return nil, err
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
		return names, nil
	})
}

// CompleteBranch completes the names that pick returns for each checkpoint of the branch, with
// its prompt.
func CompleteBranch(env *cliui.Env, pick func(ListGroup) []string) cobra.CompletionFunc {
	return cliui.InOrder(CompleteNames(env, func(ctx context.Context, wp *Workplace, typed string) ([]string, error) {
		groups, err := BranchGroups(ctx, wp, "")
		var found []string
		seen := map[string]bool{}
		for _, g := range groups {
			for _, name := range pick(g) {
				if strings.HasPrefix(name, typed) && !seen[name] && name == cliui.ShownLine(name) {
					seen[name] = true
					found = append(found, cobra.CompletionWithDesc(name, cliui.ShortLine(g.Prompt, cliui.PromptRunes)))
				}
			}
		}
		return found, err
	}))
}

// CheckpointNames returns the ID of a checkpoint, or the IDs of a session's steps.
func CheckpointNames(g ListGroup) []string {
	if !g.Temporary {
		return []string{g.ID}
	}
	var names []string
	for _, p := range g.Points {
		names = append(names, p.ID[:min(7, len(p.ID))])
	}
	return names
}

func SessionNames(g ListGroup) []string { return g.Sessions }

// CompleteRemotes completes remotes.
func CompleteRemotes(env *cliui.Env) cobra.CompletionFunc {
	return CompleteNames(env, func(ctx context.Context, wp *Workplace, _ string) ([]string, error) { return wp.Repo.Remotes(ctx) })
}

// CompleteSessions completes the sessions of the repository.
func CompleteSessions(env *cliui.Env) cobra.CompletionFunc {
	return CompleteNames(env, func(ctx context.Context, wp *Workplace, typed string) (ids []string, err error) {
		sums, err := wp.Store.Summaries(ctx)
		for _, sum := range sums {
			if strings.HasPrefix(sum.ID.String(), typed) {
				ids = append(ids, sum.ID.String())
			}
		}
		return ids, err
	})
}

// CompleteAgents completes the names of agents.
func CompleteAgents(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return AgentNames(), cobra.ShellCompDirectiveNoFileComp
}
