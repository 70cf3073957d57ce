package logcmd

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/timeline"
	"entire/strategy/step"
)

// Register adds the commands to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	parent.AddCommand(logCommand(env), showCommand(env))
}

type logOptions struct {
	limit                        int
	from, session, file, since   string
	kinds                        []string
	graph, oneline, json, noPage bool
}

func logCommand(env *cliui.Env) *cobra.Command {
	var o logOptions
	cmd := &cobra.Command{
		Use: "log [-- FILE]", SuggestFor: []string{"history", "timeline", "list", "points"},
		Short: "Show the past: turns, commits and rewinds, newest first",
		Long: `Show the past of this worktree, newest first: the turns of agents with their
prompts, subagents' tasks, what was saved by hand, commits, and rewinds. "(present)"
marks the point whose files are those of the worktree.

With a FILE it lists the contents that the file had, each with the turn, commit or
rewind that gave it. ` + "`entire show ID`" + ` shows a point.`,
		Example: `  entire log
  entire log -n 20 --oneline
  entire log --graph                     # a lane for each session
  entire log --session 6e1f0d2 --kind turn
  entire log --since yesterday -- src/main.go
  entire log --json | jq -r 'select(.kind == "turn").prompt'`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch points, paths := cliui.SplitPaths(cmd, args); {
			case len(points) > 0:
				return cliui.Failf("`entire show "+points[0]+"` shows a point, `entire log -- "+points[0]+"` the past of a file", "log takes no ID: %s", points[0])
			case len(paths) > 1:
				return cliui.Failf("name one", "log shows the past of one file, not of %d", len(paths))
			case len(paths) == 1 && cmd.Flags().Changed("file"):
				return cliui.Failf("leave one of them out", "--file and %s both name a file", paths[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("limit") && o.limit < 1 {
				return cliui.Failf("a number from 1 on; leave it out for all points", "--limit is %d", o.limit)
			}
			if _, paths := cliui.SplitPaths(cmd, args); len(paths) == 1 {
				o.file = paths[0]
			}
			return runLog(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.IntVarP(&o.limit, "limit", "n", 0, "at most `N` points")
	f.StringVar(&o.from, "from", "", "begin at the point with this `ID`, or with this number in the list, from 0")
	f.StringVar(&o.since, "since", "", "only what is newer than `WHEN`: 2026-03-01, today, 2w, 12h")
	f.StringVar(&o.session, "session", "", "only the points of the session with this `ID`")
	f.StringSliceVar(&o.kinds, "kind", nil, "only these `KINDS`: "+strings.Join(kindNames(), ", "))
	f.StringVar(&o.file, "file", "", "the contents that this `FILE` had")
	f.BoolVar(&o.graph, "graph", false, "draw a lane for each session")
	f.BoolVar(&o.oneline, "oneline", false, "one line for each point")
	f.BoolVar(&o.json, "json", false, "print one JSON object per line")
	f.BoolVar(&o.noPage, "no-pager", false, "never use a pager")
	cmd.RegisterFlagCompletionFunc("from", workplace.CompletePoints(env, -1))
	cmd.RegisterFlagCompletionFunc("session", workplace.CompleteSessions(env))
	cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(kindNames(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("since", cobra.FixedCompletions([]string{"today", "yesterday", "1w", "1mo"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func kindNames() []string {
	var names []string
	for _, k := range []timeline.Kind{timeline.Turn, timeline.Task, timeline.Auto, timeline.Label, timeline.Commit, timeline.Rewind, timeline.Saved, timeline.Outside} {
		names = append(names, string(k))
	}
	return names
}

func (o logOptions) check() error {
	for _, kind := range o.kinds {
		if !slices.Contains(kindNames(), kind) {
			return cliui.Failf("the kinds are "+strings.Join(kindNames(), ", "), "not a kind of point: %s", cliui.ShownLine(kind))
		}
	}
	switch {
	case o.graph && o.json:
		return cliui.Failf("the lane of a point is in its JSON", "cannot specify both --graph and --json")
	case o.oneline && o.json:
		return cliui.Failf("use one of them", "cannot specify both --oneline and --json")
	case o.graph && o.file != "":
		return cliui.Failf("leave --graph out", "the past of a file has no lanes")
	}
	return nil
}

func runLog(ctx context.Context, env *cliui.Env, o logOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	wp, err := workplace.OpenEnabled(ctx, env)
	if err != nil || wp == nil {
		return err
	}
	defer wp.Close()
	wp.FetchNamed(ctx, env, "-n", "500", "HEAD", "--")
	s, err := newStream(ctx, env, wp, o)
	if err != nil {
		return err
	}
	defer s.tl.Close()
	if o.json {
		return s.write(ctx, env.Out, jsonRows(env))
	}
	screen := env.Screen()
	return screen.Paged(ctx, env.Pager(o.noPage), env.Environ, func(out io.Writer) error {
		buffered := bufio.NewWriter(out)
		rows := newTextRows(buffered, screen, env.Width(), o)
		return s.write(ctx, buffered, rows)
	})
}

// A filter chooses the points that are shown.
type filter struct {
	session string
	kinds   []string
	since   time.Time
}

func (f filter) all() bool { return f.session == "" && len(f.kinds) == 0 && f.since.IsZero() }

func (f filter) has(p timeline.Point) bool {
	return (f.session == "" || p.Session == f.session) && (len(f.kinds) == 0 || slices.Contains(f.kinds, string(p.Kind))) && !p.When.Before(f.since)
}

// newStream resolves the options' names.
func newStream(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o logOptions) (*stream, error) {
	s := &stream{limit: o.limit, graph: o.graph, sizes: o.json}
	s.filter.kinds = o.kinds
	var err error
	if s.filter.since, err = cliui.Moment(o.since, env.Now(), false); err != nil {
		return nil, err
	}
	if o.session != "" {
		if s.filter.session, err = workplace.FindSession(ctx, wp, o.session); err != nil {
			return nil, err
		}
	}
	if o.file != "" {
		paths, err := workplace.RepoPaths(env, wp, []string{o.file})
		if err != nil {
			return nil, err
		}
		s.file = paths[0]
	}
	s.tl = timeline.New(wp.Engine)
	if o.session != "" && !s.graph && s.file == "" {
		ids, err := wp.CheckpointsOf(ctx, workplace.Meaning{Kind: workplace.MeansSession, Session: s.filter.session})
		if err != nil {
			return nil, err
		}
		s.tl.ReadOnly(ids)
	}
	if o.from == "" {
		return s, nil
	}
	if n, err := strconv.Atoi(o.from); err == nil && n >= 0 && len(o.from) < step.MinPrefix {
		s.from = n
		return s, nil
	}
	name := o.from
	if point, err := wp.PointNamed(ctx, name); err == nil {
		name = point.ID
	}
	p, err := s.tl.Find(ctx, name)
	if err != nil {
		return nil, cliui.WithHint(err, "`entire log --oneline` shows the IDs")
	}
	s.from = p.Index
	return s, nil
}
