package panes

import (
	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/tui/paint"
)

// goingWords says in two or three short sentences what a rewind would do.
func goingWords(look *rewindlib.Preview) ([]string, paint.Role) {
	words := "Going back here would change " + cliui.Count(len(look.Changes), "file")
	switch {
	case look.Nothing:
		words = "Going back here would change nothing"
	case len(look.Changes) == 0:
		words = "Going back here would change no file"
	}
	if look.Talk {
		words += ", and the conversation goes back"
	}
	out := []string{words + ". " + riskWords(look)}
	if n := len(look.Conflicts); n > 0 {
		out = append(out, "Later changes do not merge in "+cliui.Count(n, "file")+".")
		return out, paint.Warn
	}
	return out, paint.Faint
}

// riskWords says how many bytes a rewind could lose. A rewind saves the files first and keeps what it
// cannot save, so there are none.
func riskWords(look *rewindlib.Preview) string {
	if len(look.Kept) > 0 {
		return "0 bytes at risk: the present is saved first, " + cliui.Count(len(look.Kept), "file") + " kept."
	}
	return "0 bytes at risk: the present is saved first."
}
