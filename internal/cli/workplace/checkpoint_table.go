package workplace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/term"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

type CheckpointsOptions struct {
	Session                   string
	JSON, Stat, Diff, NoPager bool
}

func CheckpointsList(ctx context.Context, env *cliui.Env, o CheckpointsOptions) error {
	wp, err := OpenEnabled(ctx, env)
	if err != nil || wp == nil {
		return err
	}
	defer wp.Close()
	points, err := step.Points(ctx, wp.Engine, 0)
	if err != nil {
		return err
	}
	if o.Session != "" {
		name := o.Session
		if sid, err := wp.SessionNamed(ctx, name); err == nil {
			name = sid
		}
		if points, err = pointsOf(points, name); err != nil {
			return err
		}
	}
	views, err := ViewPoints(ctx, wp, points)
	if err != nil {
		return err
	}
	if o.JSON {
		return env.PrintJSON(cliui.NotNil(views))
	}
	if len(views) == 0 {
		_, err := fmt.Fprintln(env.Out, noPoints)
		return err
	}
	return env.Show(ctx, PointTable(views, env.Screen(), env.Width()), o.NoPager)
}

const noPoints = "No checkpoints yet. They appear when an agent's turn has changed files, and `entire save` makes one by hand."

// pointsOf returns the points of the one session whose ID is, or begins with, name.
func pointsOf(points []step.RewindPoint, name string) ([]step.RewindPoint, error) {
	sid, err := sessionOfPoints(points, name)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(points), func(p step.RewindPoint) bool { return p.SessionID != sid }), nil
}

// PointTable returns a table of points for people.
func PointTable(views []PointView, t term.Terminal, width int) string {
	rows := [][]term.Cell{cliui.FaintRow(t, []string{"ID", "WHEN", "KIND", "SESSION", "TURN", "FILES", "LINES", "WHAT"})}
	for _, v := range views {
		turn, session := "-", "-"
		if v.Turn > 0 {
			turn = fmt.Sprint(v.Turn)
		}
		if v.SessionID != "" {
			session = cliui.ShownSession(v.SessionID)
		}
		row := term.Plain(cliui.ShortID(v.ID), v.Date.Local().Format("01-02 15:04"), v.Kind, session, turn, cliui.ShortNumber(v.Files), lineSum(v.Insertions, v.Deletions), v.What())
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

// gapsShown bounds how many uncaptured files a plan lists for people.
const gapsShown = 8

// WriteUncaptured names what no checkpoint captures, so no rewind restores or removes it; it
// leaves out what kept already names.
func WriteUncaptured(b *strings.Builder, gaps []worktree.Uncaptured, kept []sessionstate.KeptFile) {
	named := map[string]bool{}
	for _, k := range kept {
		named[k.Path] = true
	}
	n := 0
	for _, u := range gaps {
		if named[u.Path] {
			continue
		}
		switch n++; {
		case n > gapsShown:
		case u.Gap == worktree.GapMode: // only the mode is not captured
			fmt.Fprintf(b, "  Not captured: %s of %s\n", cliui.ShownLine(u.Why), cliui.ShownName(u.Path))
		default:
			fmt.Fprintf(b, "  Not captured: %s (%s)\n", cliui.ShownName(u.Path), cliui.ShownLine(u.Why))
		}
	}
	if n > gapsShown {
		fmt.Fprintf(b, "  Not captured: %d more; --json lists them\n", n-gapsShown)
	}
}
