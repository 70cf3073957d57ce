package attributioncmd

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/cli/blameserve"
	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/workplace"
	"entire/internal/lineage"
)

type blameOptions struct {
	rev                      string
	lines                    []string
	spans                    []lineage.Span // of lines
	json, porcelain, noPager bool
	linePorcelain, serve     bool
}

func blameCommand(env *cliui.Env) *cobra.Command {
	var o blameOptions
	cmd := &cobra.Command{
		Use:   "blame FILE",
		Short: "Show who wrote each line: an agent or a person",
		Long: `Show each line of a file with the commit that added it and who wrote it: an
agent, with its session and turn, a person, or unknown.

It finds the recorded owners again after an amend, rebase, squash, cherry-pick or
revert, and for a line that was moved or reformatted. A line without enough
evidence is unknown. For lines that are not committed yet it uses the turns since
the last commit.

With --serve it answers the requests of an editor, a line of JSON each, until its
input ends.`,
		Example: `  entire blame main.go                    # as it is now
  entire blame -L 10,20 main.go           # some lines
  entire blame --rev v1.2 main.go         # as it was
  entire blame --json main.go             # for a script
  entire blame --serve                    # for an editor`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.serve && len(args) > 0 {
				return cliui.Failf("the editor names files in its requests: docs/editors.md", "--serve takes no FILE")
			} else if o.serve {
				return nil
			}
			return cliui.OneArgument(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.serve {
				return serveBlame(cmd.Context(), env)
			}
			return runBlame(cmd.Context(), env, args[0], o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.lines, "lines", "L", nil, "only these lines: `A,B`, A,+N, or one; may be repeated")
	f.StringVar(&o.rev, "rev", "", "the file as it was in this `COMMIT`")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.porcelain, "porcelain", false, "print what git blame --porcelain does, with the owner of each line")
	f.BoolVar(&o.linePorcelain, "line-porcelain", false, "as --porcelain, with the commit at each line")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	f.BoolVar(&o.serve, "serve", false, "answer an editor: requests and answers, a line of JSON each")
	for _, name := range []string{"json", "porcelain", "line-porcelain", "lines", "rev", "no-pager"} {
		cmd.MarkFlagsMutuallyExclusive("serve", name)
	}
	cmd.MarkFlagsMutuallyExclusive("json", "porcelain", "line-porcelain")
	cmd.RegisterFlagCompletionFunc("rev", workplace.CompleteRevisions(env))
	cmd.RegisterFlagCompletionFunc("lines", cobra.NoFileCompletions)
	return cmd
}

func runBlame(ctx context.Context, env *cliui.Env, file string, o blameOptions) error {
	var err error
	if o.spans, err = parseSpans(o.lines); err != nil {
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
	wp.FetchNamed(ctx, env, cmp.Or(o.rev, "HEAD"), "--", paths[0])
	lines, err := ownerlib.Blame(ctx, wp, paths[0], o.rev, o.spans...)
	if err != nil {
		return err
	}
	missing, err := ownerlib.NotStored(ctx, wp, lines)
	if err != nil {
		return err
	}
	if missing != "" {
		fmt.Fprintf(env.Err, "warning: %s\n", cliui.ShownLine(missing))
	}
	switch {
	case o.json:
		return blameJSON(env, paths[0], o.rev, lines)
	case o.porcelain:
		return showPorcelain(ctx, env, wp, "--porcelain", paths[0], o, lines)
	case o.linePorcelain:
		return showPorcelain(ctx, env, wp, "--line-porcelain", paths[0], o, lines)
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

// serveBlame answers the requests of an editor until it ends.
func serveBlame(ctx context.Context, env *cliui.Env) error {
	wp, err := workplace.OpenWithoutRecovery(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	debug.SetGCPercent(heapGrowth)
	return blameserve.Serve(ctx, env, wp)
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
