package maintaincmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

type logsOptions struct {
	lines                int
	level                string
	json, noPager, where bool
}

func logsCommand(env *cliui.Env) *cobra.Command {
	var o logsOptions
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "Show what the hooks noted here: warnings, errors, links",
		Long: `Show the log of this worktree, the newest line last: what the hooks of agents and of git
could not do, and which commits they linked. Secrets were removed before a line was
written.

The setting log_level, or ENTIRE_LOG_LEVEL, says from which level lines are written:
debug, info, warn or error. With debug every hook notes where its time went, too.`,
		Example: `  entire doctor logs
  entire doctor logs --level warn -n 0
  entire doctor logs --json | jq -r .msg | sort | uniq -c`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runLogs(cmd.Context(), env, o) },
	}
	f := cmd.Flags()
	f.IntVarP(&o.lines, "lines", "n", 50, "the last `NUMBER` of lines; 0 is all of them")
	f.StringVar(&o.level, "level", "debug", "only lines of this `LEVEL` or above: debug, info, warn, error")
	f.BoolVar(&o.where, "path", false, "print only where the log is")
	f.BoolVar(&o.json, "json", false, "print the lines as they are stored, a JSON object each")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	cmd.RegisterFlagCompletionFunc("level", cobra.FixedCompletions([]string{"debug", "info", "warn", "error"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runLogs(ctx context.Context, env *cliui.Env, o logsOptions) error {
	level := strings.ToUpper(o.level)
	if !slices.Contains(levels, level) {
		return cliui.Failf("one of debug, info, warn, error", "--level cannot be %q", o.level)
	}
	if o.lines < 0 {
		return cliui.Failf("0 is all lines", "-n cannot be %d", o.lines)
	}
	files, err := logHere(env)
	if err != nil {
		return err
	}
	if o.where {
		_, err := fmt.Fprintln(env.Out, cliui.Printable(files[len(files)-1]))
		return err
	}
	var list []logRecord
	err = readLog(files, func(r logRecord) {
		if r.atLeast(level) {
			list = append(list, r)
		}
	})
	if err != nil {
		return err
	}
	if o.lines > 0 {
		list = list[max(0, len(list)-o.lines):]
	}
	if o.json {
		for _, r := range list {
			if r.Message != "" {
				fmt.Fprintf(env.Out, "%s\n", r.Raw)
			}
		}
		return nil
	}
	if len(list) == 0 {
		_, err := io.WriteString(env.Out, "Nothing is noted here.\n")
		return err
	}
	var b strings.Builder
	for _, r := range list {
		b.WriteString(r.String() + "\n")
	}
	return env.Show(ctx, b.String(), o.noPager)
}

// logHere returns the files of the log of the worktree or folder around the current directory, the newest last.
func logHere(env *cliui.Env) ([]string, error) {
	p, err := workplace.PlaceHere(env)
	if err != nil {
		return nil, err
	}
	if files := logFiles(p, p.GitDir()); p.SetUp && len(files) > 0 {
		return files, nil
	}
	return nil, cliui.Failf("`entire enable` sets it up", "there is no log: Entire is not set up here")
}
