package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/internal/term"
	"entire/strategy"
)

type rewindOptions struct {
	list, dryRun, json, yes, logsOnly, reset bool
	to                                       string
}

func (w *world) rewindCommand() *cobra.Command {
	var o rewindOptions
	cmd := &cobra.Command{
		Use:   "rewind",
		Short: "Go back to an earlier turn",
		Long: `Go back to an earlier turn: the files of this worktree become what they were
then. The present is saved first, so that you can come back. Ignored files,
nested repositories, the index and HEAD are left alone.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return w.rewind(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "print the points as JSON")
	f.StringVar(&o.to, "to", "", "go to this point (at least 7 digits of its ID)")
	f.BoolVar(&o.dryRun, "dry-run", false, "only show what would change")
	f.BoolVar(&o.json, "json", false, "with --dry-run: print JSON")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.logsOnly, "logs-only", false, "restore the conversation, not the files (for a commit's point)")
	f.BoolVar(&o.reset, "reset", false, "move the branch back to the point's commit (git reset --hard)")
	return cmd
}

func (o rewindOptions) check() error {
	switch {
	case o.logsOnly && o.reset:
		return failf("use one of them", "cannot specify both --logs-only and --reset")
	case o.to == "" && (o.logsOnly || o.reset):
		return failf("`entire rewind --list` shows the points", "--logs-only and --reset need --to")
	case o.json && !o.dryRun:
		return failf("the list of points is JSON without it", "--json requires --dry-run")
	}
	return nil
}

func (w *world) rewind(ctx context.Context, o rewindOptions) error {
	if o.list {
		return w.rewindList(ctx)
	}
	wp, err := w.guarded(ctx)
	if err != nil || wp == nil {
		return err
	}
	defer wp.close()
	point, action, err := w.pickPoint(ctx, wp, o)
	if err != nil {
		return err
	}
	switch {
	case action == moveBranch && o.dryRun:
		return w.dryMove(ctx, wp, point, o)
	case action != restoreFiles && o.dryRun:
		o.reset = action == resetBranch
		return w.dryRun(ctx, wp, point, o)
	case action == restoreLogs:
		return w.restoreLogs(ctx, wp, point)
	case action == resetBranch:
		return w.resetTo(ctx, wp, point, o)
	case action == moveBranch:
		return w.moveBranch(ctx, wp, point, o)
	}
	return w.rewindTo(ctx, wp, point, o)
}

// rewindList prints for scripts, which read standard error too: nothing is
// written there.
func (w *world) rewindList(ctx context.Context) error {
	quiet := *w
	quiet.err = discard{}
	wp, err := quiet.guarded(ctx)
	if err != nil || wp == nil {
		return err
	}
	defer wp.close()
	points, err := wp.engine.Points(ctx, 0)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(notNil(points), "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "%s\n\n", data)
	return err
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// A rewindAction is what is done with a point.
type rewindAction int

const (
	restoreFiles rewindAction = iota
	restoreLogs
	resetBranch
	moveBranch // to a commit of its own: auto-commit's rewind
)

// pickPoint finds the point that was named, or lets a person choose one.
func (w *world) pickPoint(ctx context.Context, wp *workplace, o rewindOptions) (strategy.RewindPoint, rewindAction, error) {
	if o.to == "" {
		return w.choosePoint(ctx, wp)
	}
	point, err := wp.engine.FindPoint(ctx, o.to)
	if err != nil {
		return point, 0, failf("`entire rewind --list` shows the points", "%w", err)
	}
	switch {
	case (o.logsOnly || o.reset) && !point.IsCommit():
		return point, 0, failf("leave the flag out to restore its files", "failed to restore logs: not a logs-only rewind point")
	case o.reset:
		return point, resetBranch, nil
	case point.IsLogsOnly, o.logsOnly:
		return point, restoreLogs, nil
	case point.IsCommit():
		return point, moveBranch, nil
	}
	return point, restoreFiles, nil
}

func (w *world) choosePoint(ctx context.Context, wp *workplace) (strategy.RewindPoint, rewindAction, error) {
	var none strategy.RewindPoint
	t := w.terminal()
	if !t.Interactive {
		return none, 0, failf("without a terminal use `entire rewind --list` and `--to <id>`", "selection cancelled: %w", term.ErrNotInteractive)
	}
	points, err := wp.engine.Points(ctx, 0)
	if err != nil {
		return none, 0, err
	}
	if len(points) == 0 {
		return none, 0, failf("points appear when an agent's turn has changed files", "no rewind points")
	}
	labels := make([]string, len(points))
	for i, p := range points {
		labels[i] = pointLabel(p)
	}
	i, err := t.Select(ctx, "Go back to which point?", labels)
	if err != nil {
		return none, 0, fmt.Errorf("selection cancelled: %w", err)
	}
	switch {
	case !points[i].IsCommit():
		return points[i], restoreFiles, nil
	case !points[i].IsLogsOnly:
		return points[i], moveBranch, nil
	}
	action, err := t.Select(ctx, "This point is a commit. What should come back?", []string{
		"The conversation only", "The conversation, and the branch reset to the commit",
	})
	if err != nil {
		return none, 0, fmt.Errorf("selection cancelled: %w", err)
	}
	return points[i], []rewindAction{restoreLogs, resetBranch}[action], nil
}

// pointLabel is a point on one line.
func pointLabel(p strategy.RewindPoint) string {
	kind := ""
	switch {
	case p.IsTaskCheckpoint:
		kind = "[Task] "
	case p.IsCommit():
		kind = "[commit] "
	}
	label := fmt.Sprintf("%s  %s  %s%s", p.Date.Format("01-02 15:04"), shortID(p.ID), kind, agent.ShortPrompt(p.Message, promptRunes))
	if p.SessionPrompt != "" {
		label += fmt.Sprintf("  (%s)", agent.ShortPrompt(p.SessionPrompt, 30))
	}
	return label
}

func shortID(id string) string { return id[:min(7, len(id))] }

// agreed asks before something is changed, unless nobody is there or the answer
// was given beforehand.
func (w *world) agreed(ctx context.Context, o rewindOptions, question, detail string) error {
	t := w.terminal()
	if o.yes || !t.Interactive {
		return nil
	}
	yes, err := t.Confirm(ctx, question, detail)
	switch {
	case errors.Is(err, term.ErrCancelled), err == nil && !yes:
		fmt.Fprintln(w.err, "Nothing was changed.")
		return errTold
	}
	return err
}
