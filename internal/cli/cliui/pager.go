package cliui

import (
	"context"

	"entire/internal/term"
)

// Show writes text, through a pager if it is longer than the terminal.
func (env *Env) Show(ctx context.Context, text string, noPager bool) error {
	return env.Screen().Page(ctx, env.Pager(noPager), env.Environ, text)
}

// Pager returns the command that pages long output, "" for none.
func (env *Env) Pager(none bool) string {
	pager, set := env.LookupEnv("PAGER")
	switch {
	case set:
	case env.Getenv("TERM") == "dumb": // less waits for a key before it shows the text there
	default:
		pager = "less -FRX"
	}
	if none || pager == "cat" {
		return ""
	}
	return pager
}

// Width returns the width of standard output, 0 for no limit: scripts and files get whole lines.
func (env *Env) Width() int { return term.Width(env.Out) }
