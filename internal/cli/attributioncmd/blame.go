package attributioncmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/attribution"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/strategy/condense"
	"entire/strategy/ownership"
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
	wp, err := workplace.OpenWithoutRecovery(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	paths, err := workplace.RepoPaths(env, wp, []string{file})
	if err != nil {
		return err
	}
	rev := ""
	if o.rev != "" {
		c, err := commitNamed(ctx, wp, o.rev)
		if err != nil {
			return err
		}
		rev = c.OID.String()
	}
	lines, err := openLineage(wp).Blame(ctx, paths[0], rev, spans...)
	if err != nil {
		return blameFailure(wp, paths[0], err)
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
	if isBinary(lines) {
		_, err := fmt.Fprintf(env.Out, "%s is a binary file: blame shows lines of text only\n", cliui.ShownName(paths[0]))
		return err
	}
	return env.Show(ctx, blameText(env, lines), o.noPager)
}

// isBinary reports whether a file is binary in git's sense: it has a NUL in its first 8,000
// bytes.
func isBinary(lines []lineage.Line) bool {
	read := 0
	for _, l := range lines {
		if i := strings.IndexByte(l.Text, 0); i >= 0 && read+i < 8000 {
			return true
		}
		if read += len(l.Text) + 1; read >= 8000 {
			return false
		}
	}
	return false
}

// openLineage returns the resolver that finds who wrote each line of the repository.
func openLineage(wp *workplace.Workplace) *lineage.Resolver {
	o := lineage.Options{CacheDir: filepath.Join(wp.Repo.GitDir, "entire", "cache")}
	if wp.Place.SetUp {
		o.Unlinked = func(ctx context.Context) ([]git.OID, attribution.Prints, error) {
			return condense.UnlinkedCommits(ctx, wp.Engine)
		}
		o.Uncommitted = func(ctx context.Context, path string) ([]lineage.Origin, error) {
			owners, err := ownership.LinesSinceHead(ctx, wp.Engine, path)
			out := make([]lineage.Origin, len(owners))
			for i, owner := range owners {
				if owner.Class == "" {
					owner.Class = attribution.ClassUnknown
				}
				out[i] = lineage.Origin{Owner: owner, Evidence: lineage.Uncommitted}
			}
			return out, err
		}
	}
	return lineage.New(wp.Repo, o)
}

// blameFailure turns git's message about a file into one line.
func blameFailure(wp *workplace.Workplace, path string, err error) error {
	var exit *git.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	if fi, err := os.Stat(filepath.Join(wp.Repo.Top, filepath.FromSlash(path))); err == nil && fi.IsDir() {
		return cliui.Failf("`git ls-files` lists the files that there are", "%s is a folder", cliui.ShownName(cmp.Or(path, ".")))
	}
	message := strings.TrimPrefix(strings.TrimSpace(exit.Stderr), "fatal: ")
	message, _, _ = strings.Cut(message, "\n")
	if strings.Contains(message, " has only ") {
		return cliui.Failf("", "%s", message)
	}
	return cliui.Failf("`git ls-files` lists the files that there are", "%s", message)
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
	File  string     `json:"file"`
	Rev   string     `json:"rev"`
	Lines []lineView `json:"lines"`
}

type lineView struct {
	Line       int    `json:"line"`
	Commit     string `json:"commit"`
	Class      string `json:"class"`
	Agent      string `json:"agent"`
	SessionID  string `json:"session_id"`
	Checkpoint string `json:"checkpoint_id"`
	Turn       int    `json:"turn"`
	Evidence   string `json:"evidence"`
	Model      string `json:"model,omitempty"`
	ToolUseID  string `json:"tool_use_id,omitempty"`
	Author     string `json:"author,omitempty"`
	Time       string `json:"time,omitempty"`
	Unnamed    bool   `json:"linked_without_trailer,omitempty"` // no trailer of the commit names the checkpoint
}

func viewLine(l lineage.Line) lineView {
	v := lineView{Line: l.Number, Commit: l.Commit.String(), Class: l.Owner.Class, Agent: l.Owner.Agent, SessionID: l.Owner.SessionID,
		Checkpoint: l.Checkpoint.String(), Turn: l.Owner.Turn, Evidence: string(l.Evidence), Model: l.Owner.Model,
		ToolUseID: l.Owner.ToolUseID, Author: l.Author, Unnamed: l.WithoutTrailer}
	if !l.Time.IsZero() && !l.Commit.IsZero() {
		v.Time = l.Time.UTC().Format(time.RFC3339)
	}
	return v
}

func blameJSON(env *cliui.Env, file, rev string, lines []lineage.Line) error {
	view := blameView{File: file, Rev: rev, Lines: make([]lineView, len(lines))}
	for i, l := range lines {
		view.Lines[i] = viewLine(l)
	}
	return env.JsonLines().Encode(view)
}
