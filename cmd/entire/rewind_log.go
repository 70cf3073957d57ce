package main

import (
	"context"
	"fmt"
	"strings"

	"entire/internal/term"
	"entire/strategy/condense"
	"entire/strategy/rewind"
)

func (w *world) rewindLog(ctx context.Context, asJSON bool) error {
	wp, err := w.guarded(ctx)
	if err != nil || wp == nil {
		return err
	}
	defer wp.close()
	log, err := rewind.RewindLog(ctx, wp.engine)
	if err != nil {
		return err
	}
	if asJSON {
		return w.printJSON(notNil(log))
	}
	if len(log) == 0 {
		_, err := fmt.Fprintln(w.out, "No rewinds in this worktree yet.")
		return err
	}
	return w.show(ctx, logTable(log, w.screen(), w.width()), false)
}

// logTable returns the log of rewinds as a table for people.
func logTable(log []condense.RewindEntry, t term.Terminal, width int) string {
	rows := [][]term.Cell{faintRow(t, []string{"ID", "WHEN", "FILES", "SAVED", "WHAT"})}
	for _, e := range log {
		what := entryWords(e)
		if e.UndoneBy != "" {
			what += ", undone by " + shortID(e.UndoneBy)
		}
		row := term.Plain(shortID(e.ID), e.At.Local().Format("01-02 15:04"), number(e.Files), shortID(e.Before), what)
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
		return "undo of " + shortID(e.RewindID)
	case condense.RewindRedo:
		return "redo of " + shortID(e.RewindID)
	case condense.RewindReset:
		return "reset of the branch to " + shortID(e.Point)
	case condense.RewindDropped:
		return count(e.Files, "uncommitted file") + " of an agent discarded"
	}
	if sc := e.Scope; sc.Kind == condense.ScopeTurn {
		sc.Kind, sc.SkipConversation = "", false // undoing a turn never changes the conversation
		return "undo of " + turnWords(e.Scope) + scopeWords(sc)
	}
	return "rewind to " + shortID(e.Point) + scopeWords(e.Scope)
}

// scopeWords says what a scope leaves out, "" for nothing.
func scopeWords(sc condense.Scope) string {
	var words []string
	if sc.Kind == condense.ScopeSession {
		words = append(words, "session "+shownSession(sc.Session))
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
