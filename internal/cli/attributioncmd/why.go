package attributioncmd

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/workplace"
)

type whyOptions struct {
	rev           string
	json, noPager bool
}

func whyCommand(env *cliui.Env) *cobra.Command {
	var o whyOptions
	cmd := &cobra.Command{
		Use:   "why FILE:LINE",
		Short: "Show what was asked, thought and done when a line was written",
		Long: `Show how a line came to be: who wrote it and how that is known, the commit and
the checkpoint, and for an agent's line the prompt, what the agent thought and said
around the call that wrote it, and the call's diff.

It shows the conversation as the checkpoint stores it or, for a line that is not
committed, as the newest step stores it. If the transcript does not show which call
wrote the line, it lists the prompts that may have asked for it.`,
		Example: `  entire why main.go:42
  entire why --rev v1.2 main.go:42        # the line as it was then
  entire why --json main.go:42            # for a script`,
		Args: cliui.OneArgument,
		RunE: func(cmd *cobra.Command, args []string) error { return runWhy(cmd.Context(), env, args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.rev, "rev", "", "the file as it was in this `COMMIT`")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	cmd.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveNoSpace) // a file, and then a colon
	cmd.RegisterFlagCompletionFunc("rev", workplace.CompleteRevisions(env))
	return cmd
}

func runWhy(ctx context.Context, env *cliui.Env, name string, o whyOptions) error {
	wp, err := workplace.OpenWithoutRecovery(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	rev, err := ownerlib.Revision(ctx, wp, o.rev)
	if err != nil {
		return err
	}
	file, number, err := fileAndLine(ctx, env, wp, name, rev)
	if err != nil {
		return err
	}
	wp.FetchNamed(ctx, env, cmp.Or(o.rev, "HEAD"), "--", file)
	v, err := ownerlib.WhyOf(ctx, wp, file, o.rev, number)
	if err != nil {
		return err
	}
	if o.json {
		return env.PrintJSON(v)
	}
	return env.Show(ctx, whyView{v}.text(env.Screen()), o.noPager)
}

// fileAndLine splits FILE:LINE. The file name may contain colons; a column after the line, as
// compilers print it, is ignored.
func fileAndLine(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, name, rev string) (string, int, error) {
	bad := cliui.Failf("as in `entire why main.go:42`; `entire blame FILE` shows all lines", "not FILE:LINE: %s", name)
	file, digits, found := cutLast(name)
	number, err := strconv.Atoi(digits)
	if !found || err != nil || number < 1 || file == "" {
		return "", 0, bad
	}
	paths, err := workplace.RepoPaths(env, wp, []string{file})
	if err != nil {
		return "", 0, err
	}
	if shorter, more, ok := cutLast(file); ok && !isThere(ctx, wp, paths[0], rev) {
		if n, err := strconv.Atoi(more); err == nil && n > 0 {
			if other, err := workplace.RepoPaths(env, wp, []string{shorter}); err == nil && isThere(ctx, wp, other[0], rev) {
				return other[0], n, nil
			}
		}
	}
	return paths[0], number, nil
}

func cutLast(name string) (before, after string, found bool) {
	i := strings.LastIndexByte(name, ':')
	if i < 0 {
		return name, "", false
	}
	return name[:i], name[i+1:], true
}

// isThere reports whether the commit rev, or HEAD if rev is "", has a file.
func isThere(ctx context.Context, wp *workplace.Workplace, path, rev string) bool {
	if rev == "" {
		rev = "HEAD"
	}
	c, ok, err := wp.Repo.Reader(ctx).CommitOf(rev)
	if err != nil || !ok {
		return false
	}
	_, found, err := wp.Repo.Reader(ctx).Path(c.Tree, path)
	return err == nil && found
}
