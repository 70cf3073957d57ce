package rewindcmd

import (
	"context"
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
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
		what := entryWords(e)
		if e.UndoneBy != "" {
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

// entryWords says what a rewind of the log did.
func entryWords(e condense.RewindEntry) string {
	switch e.Kind {
	case condense.RewindUndo:
		return "undo of " + cliui.ShortID(e.RewindID)
	case condense.RewindRedo:
		return "redo of " + cliui.ShortID(e.RewindID)
	case condense.RewindReset:
		return "reset of the branch to " + cliui.ShortID(e.Point)
	case condense.RewindDropped:
		return cliui.Count(e.Files, "uncommitted file") + " of an agent discarded"
	}
	if sc := e.Scope; sc.Kind == condense.ScopeTurn {
		sc.Kind, sc.SkipConversation = "", false // undoing a turn never changes the conversation
		return "undo of " + turnWords(e.Scope) + scopeWords(sc)
	}
	return "rewind to " + cliui.ShortID(e.Point) + scopeWords(e.Scope)
}

// scopeWords says what a scope leaves out, "" for nothing.
func scopeWords(sc condense.Scope) string {
	var words []string
	if sc.Kind == condense.ScopeSession {
		words = append(words, "session "+cliui.ShownSession(sc.Session))
	}
	if sc.KeepMine {
		words = append(words, "people's changes kept")
	}
	if sc.SkipCode {
		words = append(words, "conversation only")
	}
	if sc.SkipConversation {
		words = append(words, "files only")
	}
	if len(sc.Paths) > 0 {
		words = append(words, shownNames(sc.Paths))
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}
