package cliui

import (
	"context"

	"entire/internal/term"
)

// Show writes text, through a pager if it is longer than the terminal.
func (w *Env) Show(ctx context.Context, text string, noPager bool) error {
	return w.Screen().Page(ctx, w.Pager(noPager), w.Environ, text)
}

// Pager returns the command that pages long output, "" for none.
func (w *Env) Pager(none bool) string {
	pager, set := w.LookupEnv("PAGER")
	if !set {
		pager = "less -FRX"
	}
	if none || pager == "cat" {
		return ""
	}
	return pager
}

// Width returns the width of standard output, 0 for no limit: scripts and files get whole lines.
func (w *Env) Width() int { return term.Width(w.Out) }
