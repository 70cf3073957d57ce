package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/internal/term"
	"entire/strategy/step"
)

func (w *world) checkpointsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoints",
		Short: "List, show and compare points, and forget checkpoints",
		Example: `  entire checkpoints list
  entire checkpoints show bfe1ee2 --diff
  entire checkpoints diff bfe1ee2              # what has changed since
  entire checkpoints diff bfe1ee2 c0ffee1 -- src
  entire checkpoints forget a3b2c4d5e6f7       # what a commit's checkpoint stored, for good`,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(w.checkpointsListCommand(), w.checkpointsShowCommand(), w.checkpointsDiffCommand(), w.checkpointsForgetCommand())
	return cmd
}

type checkpointsOptions struct {
	session                   string
	json, stat, diff, noPager bool
}

func (w *world) checkpointsListCommand() *cobra.Command {
	var o checkpointsOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the points of this worktree, the newest first",
		Long: `List the points of this worktree that ` + "`entire rewind --to`" + ` goes back to, the newest
first: the ends of turns and tasks, points made by hand with ` + "`entire checkpoint`" + `,
and the commits that hold an agent's work. A turn whose work is committed names its
commit, and stays a point for 30 days. The numbers say what each point changed.`,
		Example: `  entire checkpoints list
  entire checkpoints list --session 5e55104f
  entire checkpoints list --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return w.checkpointsList(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.session, "session", "", "only this session's, by its ID or how it begins")
	f.BoolVar(&o.json, "json", false, "print a JSON array")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	cmd.RegisterFlagCompletionFunc("session", w.completeSessions)
	return cmd
}

func (w *world) checkpointsList(ctx context.Context, o checkpointsOptions) error {
	wp, err := w.guarded(ctx)
	if err != nil || wp == nil {
		return err
	}
	defer wp.close()
	points, err := step.Points(ctx, wp.engine, 0)
	if err != nil {
		return err
	}
	if o.session != "" {
		name := o.session
		if sid, err := wp.sessionNamed(ctx, name); err == nil {
			name = sid
		}
		if points, err = pointsOf(points, name); err != nil {
			return err
		}
	}
	views, err := viewPoints(ctx, wp, points)
	if err != nil {
		return err
	}
	if o.json {
		return w.printJSON(notNil(views))
	}
	if len(views) == 0 {
		_, err := fmt.Fprintln(w.out, noPoints)
		return err
	}
	return w.show(ctx, pointTable(views, w.screen(), w.width()), o.noPager)
}

const noPoints = "No checkpoints yet. They appear when an agent's turn has changed files, and `entire checkpoint` makes one by hand."

// pointsOf returns the points of the one session whose ID is, or begins with, name.
func pointsOf(points []step.RewindPoint, name string) ([]step.RewindPoint, error) {
	sid, err := sessionOfPoints(points, name)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(points), func(p step.RewindPoint) bool { return p.SessionID != sid }), nil
}

// sessionOfPoints returns the full ID of the one session of these points whose ID is, or begins
// with, name.
func sessionOfPoints(points []step.RewindPoint, name string) (string, error) {
	var found []string
	for _, p := range points {
		if p.SessionID == name {
			return name, nil
		}
		if strings.HasPrefix(p.SessionID, name) && !slices.Contains(found, p.SessionID) {
			found = append(found, p.SessionID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", failf("`entire checkpoints list` shows them", "session %s has no checkpoint here", shownLine(name))
	}
	return "", failf("give more of the ID", "several sessions begin with %s: %s", shownLine(name), shownLine(strings.Join(found, ", ")))
}

// pointTable returns a table of points for people.
func pointTable(views []pointView, t term.Terminal, width int) string {
	rows := [][]term.Cell{faintRow(t, []string{"ID", "WHEN", "KIND", "SESSION", "TURN", "FILES", "LINES", "WHAT"})}
	for _, v := range views {
		turn, session := "-", "-"
		if v.Turn > 0 {
			turn = fmt.Sprint(v.Turn)
		}
		if v.SessionID != "" {
			session = shownSession(v.SessionID)
		}
		row := term.Plain(shortID(v.ID), v.Date.Format("01-02 15:04"), v.Kind, session, turn, number(v.Files), lineSum(v.Insertions, v.Deletions), v.what())
		row[0].Style = func(text string) string { return t.Styled(term.Strong, text) }
		row[6].Style = func(text string) string { return t.Styled(term.Faint, text) }
		rows = append(rows, row)
	}
	return term.Columns(rows, width, 4, 5, 6)
}

// lineSum returns the numbers of added and removed lines in few columns.
func lineSum(insertions, deletions int) string {
	if insertions == 0 && deletions == 0 {
		return "-"
	}
	return fmt.Sprintf("+%d -%d", insertions, deletions)
}
