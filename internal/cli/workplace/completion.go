package workplace

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/strategy/step"
)

// CompletePoints offers the points of this worktree to a shell, for the first n arguments; files
// come after "--". For a flag's value n is -1.
func CompletePoints(env *cliui.Env, n int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if dash := cmd.ArgsLenAtDash(); dash >= 0 && dash < len(args) { // cobra adds a "--" of its own at the end
			return nil, cobra.ShellCompDirectiveDefault
		}
		if n >= 0 && len(args) >= n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		wp, err := OpenWithoutRecovery(cmd.Context(), env)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer wp.Close()
		points, err := step.Points(cmd.Context(), wp.Engine, 0)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var found []string
		for _, p := range points {
			short := cliui.ShortID(p.ID)
			if strings.HasPrefix(p.ID, begun) && !slices.Contains(args, short) {
				found = append(found, cobra.CompletionWithDesc(short, ViewPoint(p).What()))
			}
		}
		if len(found) == 0 && len(args) > 0 { // cobra does not report a "--" that was just typed
			return nil, cobra.ShellCompDirectiveDefault
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// CompletePointsAndSessions offers points and sessions for the first argument.
func CompletePointsAndSessions(env *cliui.Env) cobra.CompletionFunc {
	points := CompletePoints(env, 1)
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		found, how := points(cmd, args, begun)
		if len(args) > 0 {
			return found, how
		}
		sessions, _ := CompleteSessions(env, cmd, args, begun)
		return append(found, sessions...), how
	}
}

// CompleteRevision is CompleteRevisions for the first argument.
func CompleteRevision(env *cliui.Env) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return CompleteRevisions(env, cmd, args, typed)
	}
}

// CompleteRevisions lists branches and tags for the shell, without Entire's own. Of a range it
// completes only the end.
func CompleteRevisions(env *cliui.Env, cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	quiet := *env
	quiet.Err = io.Discard
	wp, err := OpenWithoutRecovery(cmd.Context(), &quiet)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer wp.Close()
	out, err := wp.Repo.Run(cmd.Context(), "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
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

// CompleteBranch completes the names that pick returns for each checkpoint of the branch, with
// its prompt.
func CompleteBranch(env *cliui.Env, pick func(ListGroup) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		wp, err := OpenWithoutRecovery(cmd.Context(), env)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer wp.Close()
		groups, err := BranchGroups(cmd.Context(), wp, "")
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var found []string
		seen := map[string]bool{}
		for _, g := range groups {
			for _, name := range pick(g) {
				if strings.HasPrefix(name, begun) && !seen[name] && name == cliui.ShownLine(name) {
					seen[name] = true
					found = append(found, cobra.CompletionWithDesc(name, cliui.ShortLine(g.Prompt, cliui.PromptRunes)))
				}
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
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

// CompleteRemotes lists the remotes for the shell.
func CompleteRemotes(env *cliui.Env, cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return CompleteNames(env, cmd, args, func(wp *Workplace) ([]string, error) { return wp.Repo.Remotes(cmd.Context()) })
}

func CompleteNames(env *cliui.Env, cmd *cobra.Command, args []string, names func(*Workplace) ([]string, error)) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	quiet := *env
	quiet.Err = io.Discard
	wp, err := OpenWithoutRecovery(cmd.Context(), &quiet)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer wp.Close()
	list, err := names(wp)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// CompleteSessions offers the sessions of the repository to a shell.
func CompleteSessions(env *cliui.Env, cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	wp, err := OpenWithoutRecovery(cmd.Context(), env)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer wp.Close()
	sums, err := wp.Store.Summaries(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, sum := range sums {
		if strings.HasPrefix(sum.ID.String(), prefix) {
			ids = append(ids, sum.ID.String())
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
