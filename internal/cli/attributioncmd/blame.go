package attributioncmd

import (
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/workplace"
	"entire/internal/lineage"
)

type blameOptions struct {
	rev                      string
	lines                    []string
	json, porcelain, noPager bool
}

func blameCommand(env *cliui.Env) *cobra.Command {
	var o blameOptions
	cmd := &cobra.Command{
		Use:   "blame FILE",
		Short: "Show who wrote each line: an agent or a person",
		Long: `Show each line of a file with the commit that added it and who wrote it: an
agent, with its session and turn, a person, or unknown.

It finds the recorded owners again after an amend, rebase, squash, cherry-pick or
revert, and for a line that was moved or re-indented. A line without enough
evidence is unknown. For lines that are not committed yet it uses the turns since
the last commit.`,
		Example: `  entire blame main.go                    # as it is now
  entire blame -L 10,20 main.go           # some lines
  entire blame --rev v1.2 main.go         # as it was
  entire blame --json main.go             # for a script`,
		Args: cliui.OneArgument,
		RunE: func(cmd *cobra.Command, args []string) error { return runBlame(cmd.Context(), env, args[0], o) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.lines, "lines", "L", nil, "only these lines: `A,B`, A,+N, or one; may be repeated")
	f.StringVar(&o.rev, "rev", "", "the file as it was in this commit")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.porcelain, "porcelain", false, "print one group of lines for each line, as git blame --line-porcelain does")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	cmd.MarkFlagsMutuallyExclusive("json", "porcelain")
	cmd.RegisterFlagCompletionFunc("rev", func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return workplace.CompleteRevisions(env, cmd, args, typed)
	})
	cmd.RegisterFlagCompletionFunc("lines", cobra.NoFileCompletions)
	return cmd
}

func runBlame(ctx context.Context, env *cliui.Env, file string, o blameOptions) error {
	spans, err := parseSpans(o.lines)
	if err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(heapGrowth))
	wp, err := workplace.OpenWithoutRecovery(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	paths, err := workplace.RepoPaths(env, wp, []string{file})
	if err != nil {
		return err
	}
	lines, err := ownerlib.Blame(ctx, wp, paths[0], o.rev, spans...)
	if err != nil {
		return err
	}
	switch {
	case o.json:
		return blameJSON(env, paths[0], o.rev, lines)
	case o.porcelain:
		return env.Show(ctx, blamePorcelain(lines), true)
	}
	if len(lines) == 0 {
		return nil
	}
	if ownerlib.IsBinary(lines) {
		_, err := fmt.Fprintf(env.Out, "%s is a binary file: blame shows lines of text only\n", cliui.ShownName(paths[0]))
		return err
	}
	return env.Show(ctx, blameText(env, lines), o.noPager)
}

// parseSpans reads the values of -L.
func parseSpans(values []string) ([]lineage.Span, error) {
	var out []lineage.Span
	for _, value := range values {
		first, last, both := strings.Cut(value, ",")
		from, err := strconv.Atoi(first)
		to := from
		switch {
		case err != nil || !both:
		case strings.HasPrefix(last, "+"):
			to, err = strconv.Atoi(last[1:])
			to += from - 1
		default:
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 1 || to < from {
			return nil, cliui.Failf("-L 10,20 shows lines 10 to 20; -L 10,+5 shows five lines", "not a range of lines: %s", value)
		}
		out = append(out, lineage.Span{From: from, To: to})
	}
	return out, nil
}

// blameView is the JSON form of a blame.
type blameView struct {
	File  string               `json:"file"`
	Rev   string               `json:"rev"`
	Lines []ownerlib.OwnedLine `json:"lines"`
}

func blameJSON(env *cliui.Env, file, rev string, lines []lineage.Line) error {
	view := blameView{File: file, Rev: rev, Lines: make([]ownerlib.OwnedLine, len(lines))}
	for i, l := range lines {
		view.Lines[i] = ownerlib.ViewLine(l)
	}
	return env.JsonLines().Encode(view)
}
