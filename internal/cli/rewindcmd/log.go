package rewindcmd

import (
	"context"
	"fmt"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/workplace"
	"entire/internal/term"
	"entire/strategy/condense"
	"entire/strategy/rewind"
)

func rewindLog(ctx context.Context, env *cliui.Env, asJSON bool) error {
	wp, err := workplace.OpenEnabled(ctx, env)
	if err != nil || wp == nil {
		return err
	}
	defer wp.Close()
	log, err := rewind.Log(ctx, wp.Engine)
	if err != nil {
		return err
	}
	if asJSON {
		return env.PrintJSON(cliui.NotNil(log))
	}
	if len(log) == 0 {
		_, err := fmt.Fprintln(env.Out, "No rewinds in this worktree yet.")
		return err
	}
	return env.Show(ctx, logTable(log, env.Screen(), env.Width()), false)
}

// logTable returns the log of rewinds as a table for people.
func logTable(log []condense.RewindEntry, t term.Terminal, width int) string {
	rows := [][]term.Cell{cliui.FaintRow(t, []string{"ID", "WHEN", "FILES", "SAVED", "WHAT"})}
	for _, e := range log {
		what := rewindlib.EntryWords(e)
		switch {
		case e.UndoneBy != "" && e.Kind == condense.RewindUndo:
			what += ", redone by " + cliui.ShortID(e.UndoneBy)
		case e.UndoneBy != "":
			what += ", undone by " + cliui.ShortID(e.UndoneBy)
		}
		row := term.Plain(cliui.ShortID(e.ID), e.At.Local().Format("01-02 15:04"), cliui.ShortNumber(e.Files), cliui.ShortID(e.Before), what)
		row[0].Style = func(text string) string { return t.Styled(term.Strong, text) }
		if e.UndoneBy != "" {
			row[4].Style = func(text string) string { return t.Styled(term.Faint, text) }
		}
		rows = append(rows, row)
	}
	return term.Columns(rows, width, 2) + "\nSAVED is the point that holds what was there before. `entire undo ID` undoes one.\n"
}
