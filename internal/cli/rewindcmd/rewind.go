package rewindcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/workplace"
	"entire/internal/term"
	"entire/strategy/condense"
	"entire/strategy/rewind"
	"entire/strategy/step"
)

type rewindOptions struct {
	list, log, logsOnly, reset bool
	to                         string
	scope                      scopeFlags
	paths                      []string // as typed
	doing
}

// A doing is how a plan is shown and carried out.
type doing struct {
	dryRun, json, diff, yes bool

	asked bool // a person has already chosen the action
}

// Register adds the commands that go back to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	parent.AddCommand(RewindCommand(env), undoCommand(env), redoCommand(env), RestoreCommand(env))
}

func RewindCommand(env *cliui.Env) *cobra.Command {
	var o rewindOptions
	cmd := &cobra.Command{
		Use:   "rewind [ID | --turn N] [-- PATH...]",
		Short: "Go back to an earlier turn",
		Long: `Go back to an earlier turn: the files of this worktree, and the agent's
conversation, become what they were then. The present is saved first, and
` + "`entire undo`" + ` brings it back. Ignored files, nested repositories, the index and
HEAD are left alone.

Without an ID, on a terminal, it shows the points to choose from. It also undoes
what other sessions did since the point, except sessions that are active now; with
--tree it undoes everything. With PATHs the conversation stays, unless --both is
given. Later changes that stay are merged; if a file does not merge, nothing is
written until --conflicts says what to do.`,
		Example: `  entire rewind                        # choose from a list
  entire rewind bfe1ee2 --dry-run --diff
  entire rewind bfe1ee2                # files and conversation
  entire rewind bfe1ee2 --code         # the files, not the conversation
  entire rewind bfe1ee2 -- src         # only the files below src
  entire rewind bfe1ee2 --mine keep    # undo the agents' work, keep yours
  entire rewind --turn 3               # undo one turn, keep the later ones
  entire rewind bfe1ee2 -p -- main.go  # choose hunks of one file
  entire undo`,
		Args: func(cmd *cobra.Command, args []string) error {
			points, _ := cliui.SplitPaths(cmd, args)
			switch {
			case len(points) > 1:
				return cliui.Failf("files come after --, as in `entire rewind "+points[0]+" -- PATH`", "a rewind goes to one point, not %d", len(points))
			case len(points) == 1 && cmd.Flags().Changed("to"):
				return cliui.Failf("leave one of them out", "--to and %s both name a point", points[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			points, paths := cliui.SplitPaths(cmd, args)
			if o.paths = paths; len(points) == 1 {
				o.to = points[0]
			}
			o.scope.turnGiven = cmd.Flags().Changed("turn")
			if err := o.check(); err != nil {
				return err
			}
			o.scope.code = o.scope.code || o.scope.patch || len(o.scope.hunks) > 0 // hunks are of files
			return runRewind(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "list the points: a table on a terminal, otherwise JSON")
	f.BoolVar(&o.log, "log", false, "list the rewinds made in this worktree, and what undid them")
	f.StringVar(&o.to, "to", "", "go to the point with this `ID` (at least 7 digits)")
	o.scope.add(cmd, env)
	o.doing.add(f)
	f.BoolVar(&o.logsOnly, "logs-only", false, "restore the conversation, not the files (for a commit's point)")
	f.BoolVar(&o.reset, "reset", false, "move the branch back to the point's commit (git reset --hard)")
	cmd.RegisterFlagCompletionFunc("to", workplace.CompletePoints(env, -1))
	cliui.GroupFlags(f,
		cliui.FlagGroup{Title: "What goes back", Names: []string{"turn", "session", "tree", "mine"}},
		cliui.FlagGroup{Title: "How much of it", Names: []string{"code", "conversation", "both", "patch", "hunk"}},
		cliui.FlagGroup{Title: "How", Names: []string{"conflicts", "dry-run", "diff", "json", "yes"}},
		cliui.FlagGroup{Title: "To a commit", Names: []string{"logs-only", "reset"}})
	cliui.HideFlags(f, "to", "list", "log") // `entire log` lists; the ID is an argument
	cmd.ValidArgsFunction = workplace.CompletePoints(env, 1)
	return cmd
}

// Pick lets a person choose a point, and goes back to it.
func Pick(ctx context.Context, env *cliui.Env) error { return runRewind(ctx, env, rewindOptions{}) }

func runRewind(ctx context.Context, env *cliui.Env, o rewindOptions) error {
	switch {
	case o.list:
		return rewindList(ctx, env, o.json)
	case o.log:
		return rewindLog(ctx, env, o.json)
	}
	wp, err := workplace.OpenEnabled(ctx, env)
	if err != nil || wp == nil {
		return err
	}
	defer wp.Close()
	scope, err := scopeOf(ctx, env, wp, o)
	if err != nil {
		return err
	}
	if o.scope.turnGiven {
		return carryChosen(ctx, env, wp, o, func(mode condense.ConflictMode) (*rewind.Plan, error) {
			scope.Conflicts = mode
			plan, err := rewind.PlanTurn(ctx, wp.Engine, scope)
			return plan, rewindlib.HintTurn(err)
		}, scope.Conflicts)
	}
	point, action, err := pickPoint(ctx, env, wp, &o, &scope)
	if err != nil {
		return err
	}
	switch {
	case action == moveBranch && o.dryRun:
		return dryMove(ctx, env, wp, point, o)
	case action != restoreFiles && o.dryRun:
		o.reset = action == resetBranch
		return dryRun(ctx, env, wp, point, o)
	case action == restoreLogs:
		return restoreTranscripts(ctx, env, wp, point)
	case action == resetBranch:
		return resetTo(ctx, env, wp, point, o)
	case action == moveBranch:
		return moveBranchTo(ctx, env, wp, point, o)
	}
	return carryChosen(ctx, env, wp, o, plansTo(ctx, wp, point, scope), scope.Conflicts)
}

// plansTo returns the planner of a rewind to a point.
func plansTo(ctx context.Context, wp *workplace.Workplace, point step.RewindPoint, scope condense.Scope) planner {
	return func(mode condense.ConflictMode) (*rewind.Plan, error) {
		scope.Conflicts = mode
		plan, err := rewind.PlanRewind(ctx, wp.Engine, point, scope)
		return plan, rewindlib.HintRewind(err, point)
	}
}

// rewindList prints a table on a terminal. Otherwise it prints JSON and nothing on standard
// error, because scripts read that too.
func rewindList(ctx context.Context, env *cliui.Env, asJSON bool) error {
	if !asJSON && term.IsTerminal(env.Out) {
		return workplace.CheckpointsList(ctx, env, workplace.CheckpointsOptions{})
	}
	quiet := *env
	quiet.Err = discard{}
	wp, err := workplace.OpenEnabled(ctx, &quiet)
	if errors.Is(err, workplace.ErrNothingKept) {
		_, err := fmt.Fprint(env.Out, "[]\n\n")
		return err
	}
	if err != nil || wp == nil {
		return err
	}
	defer wp.Close()
	points, err := step.Points(ctx, wp.Engine, 0)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(cliui.NotNil(points), "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Out, "%s\n\n", data)
	return err
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// A rewindAction is what to do with a point.
type rewindAction int

const (
	restoreFiles rewindAction = iota
	restoreLogs
	resetBranch
	moveBranch // auto-commit's rewind, to one of the branch's commits
)

// pickPoint returns the named point, or the one that a person chooses, and the action.
func pickPoint(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o *rewindOptions, scope *condense.Scope) (step.RewindPoint, rewindAction, error) {
	if o.to == "" {
		return choosePoint(ctx, env, wp, o, scope)
	}
	point, err := wp.PointNamed(ctx, o.to)
	if err != nil {
		return point, 0, cliui.WithHint(err, "`entire log` shows the points")
	}
	switch {
	case point.IsLogsOnly && point.CheckpointID.IsZero() && !scope.SkipConversation:
		return point, 0, cliui.Failf("`entire restore "+cliui.ShortID(point.ID)+"` restores its files", "commit %s holds no agent's work to go back to", cliui.ShortID(point.ID))
	case (o.logsOnly || o.reset) && !rewind.IsCommit(point):
		return point, 0, cliui.Failf("leave the flag out to restore its files", "failed to restore logs: not a logs-only rewind point")
	case o.reset:
		return point, resetBranch, nil
	case o.logsOnly:
		return point, restoreLogs, nil
	case scope.SkipConversation:
		return point, restoreFiles, nil
	case point.IsLogsOnly && len(o.paths) > 0:
		return point, 0, cliui.Failf("`entire restore "+cliui.ShortID(point.ID)+" -- PATH` restores files of a commit", "a commit's point has the conversation only")
	case point.IsLogsOnly:
		return point, restoreLogs, nil
	case rewind.IsCommit(point):
		return point, moveBranch, nil
	}
	return point, restoreFiles, nil
}

// agreed asks before a change that can be undone, unless nobody is at the terminal or yes is set.
func agreed(ctx context.Context, env *cliui.Env, yes bool, question, detail string) error {
	t := env.Terminal()
	if yes || !t.Interactive {
		return nil
	}
	answer, err := t.ConfirmSafe(ctx, question, detail)
	if errors.Is(err, term.ErrCancelled) || err == nil && !answer {
		return unchanged(env)
	}
	return err
}

func unchanged(env *cliui.Env) error {
	fmt.Fprintln(env.Err, "Nothing was changed.")
	return cliui.ErrTold
}
