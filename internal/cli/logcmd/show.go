package logcmd

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/timeline"
)

type showOptions struct {
	diff, full, json, noPage bool
	paths                    []string // relative to the worktree's top
}

func showCommand(env *cliui.Env) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use: "show [ID | A..B] [-- PATH...]", SuggestFor: []string{"diff", "explain"},
		Short: "Show anything by its ID: a turn, a commit, a session, a rewind",
		Long: `Show what has the ID: a turn or another point of the past with its prompt, what the
agent said and did, the files that changed and what a rewind there would change; a
commit; a stored checkpoint; a session with its points; a rewind. Any beginning of an
ID will do, and any name that git has for a commit. Without an ID it shows the newest
point.

A..B shows what changed from one point to another, A.. what has changed since.`,
		Example: `  entire show                 # the newest point
  entire show bfe1ee2 --diff
  entire show HEAD~2
  entire show bfe1ee2 --diff -- src
  entire show bfe1ee2.. --diff  # what has changed since`,
		Args: func(cmd *cobra.Command, args []string) error {
			if points, _ := cliui.SplitPaths(cmd, args); len(points) > 1 {
				return cliui.Failf("paths come after --, as in `entire show "+points[0]+" -- PATH`", "show takes one ID, not %d", len(points))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			points, paths := cliui.SplitPaths(cmd, args)
			o.paths = paths
			name := ""
			if len(points) == 1 {
				name = points[0]
			}
			return runShow(cmd.Context(), env, name, o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.diff, "diff", "p", false, "with the lines that changed")
	f.BoolVar(&o.full, "full", false, "all that the agent said and did, with its subagents and its thoughts")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	f.BoolVar(&o.noPage, "no-pager", false, "never use a pager")
	cmd.ValidArgsFunction = workplace.CompletePointsAndSessions(env)
	return cmd
}

func runShow(ctx context.Context, env *cliui.Env, name string, o showOptions) error {
	wp, err := workplace.OpenEnabled(ctx, env)
	if err != nil || wp == nil {
		return err
	}
	defer wp.Close()
	wp.FetchPromised(ctx, env)
	if o.paths, err = workplace.RepoPaths(env, wp, o.paths); err != nil {
		return err
	}
	s := shower{env: env, wp: wp, o: o, tl: timeline.New(wp.Engine)}
	defer s.tl.Close()
	if name == "" {
		return s.newest(ctx)
	}
	if from, to, ok := strings.Cut(name, ".."); ok {
		return s.between(ctx, from, to)
	}
	if cp, err := id.NewCheckpointID(strings.ToUpper(name)); err == nil {
		wp.FetchMissing(ctx, env, []id.CheckpointID{cp})
	}
	m, err := wp.MeaningOf(ctx, name)
	switch {
	case errors.Is(err, workplace.ErrNoMeaning):
		return s.other(ctx, name)
	case err != nil:
		return err
	case m.Kind == workplace.MeansSession:
		return s.session(ctx, m.Session)
	case m.Kind == workplace.MeansCheckpoint:
		wp.FetchMissing(ctx, env, []id.CheckpointID{m.Checkpoint}) // if it is sealed, and its content is not here
		return s.checkpoint(ctx, m.Checkpoint)
	}
	return s.point(ctx, m.Commit.OID.String())
}

// A shower shows one thing.
type shower struct {
	env *cliui.Env
	wp  *workplace.Workplace
	tl  *timeline.Timeline
	o   showOptions
}

func (s shower) newest(ctx context.Context) error {
	w, err := s.tl.Outline(ctx, 0, 1)
	switch {
	case err != nil:
		return err
	case len(w.Points) == 0:
		return cliui.Failf("it begins with an agent's turn, a commit, or `entire save`", "there is no past yet")
	}
	return s.point(ctx, w.Points[0].ID)
}

// other shows what a name means that no session, checkpoint or commit of this repository has: a rewind, or
// a session that only the store knows.
func (s shower) other(ctx context.Context, name string) error {
	d, err := s.tl.Details(ctx, name)
	if err == nil {
		return s.details(ctx, d)
	}
	if !errors.Is(err, timeline.ErrNoPoint) {
		return err
	}
	if other := s.session(ctx, name); other == nil || ctx.Err() != nil {
		return other
	}
	return cliui.Failf("`entire log` and `entire sessions` list them", "nothing here has the ID %s", cliui.ShownLine(name))
}

// session shows a session with its newest points.
func (s shower) session(ctx context.Context, name string) error {
	return sessionlib.WithLibrary(ctx, s.env, func(l *sessionlib.Library) error {
		found, err := l.Find(ctx, name)
		if err != nil {
			return err
		}
		return s.sessionFound(ctx, found)
	})
}
