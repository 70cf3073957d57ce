package cliui

import (
	"fmt"

	"entire/internal/term"
	"entire/strategy/maintain"
)

// Progress shows a person the progress of a long examination.
func (env *Env) Progress() (maintain.Progress, func()) {
	if !term.IsTerminal(env.Err) || !env.Draws() {
		return func(string, int, int) {}, func() {}
	}
	shown, line := false, env.Redrawn()
	show := func(what string, done, total int) {
		if shown = shown || done < total; shown {
			fmt.Fprintf(line, "\rReading %s: %d of %d ", what, done, total)
		}
	}
	return show, func() {
		if shown {
			fmt.Fprint(line, "\r\x1b[K")
		}
	}
}
