package pane

import (
	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/tui/paint"
)

// GoingWords says in two or three short sentences what a rewind would do.
func GoingWords(look *rewindlib.Preview) ([]string, paint.Role) {
	words := "Going back here would change " + cliui.Count(len(look.Changes), "file")
	switch {
	case look.Nothing:
		words = "Going back here would change nothing"
	case len(look.Changes) == 0:
		words = "Going back here would change no file"
	}
	if look.Conversation {
		words += ", and the conversation goes back"
	}
	out := []string{words + ". " + RiskWords(look)}
	if n := len(look.Conflicts); n > 0 {
		out = append(out, "Later changes do not merge in "+cliui.Count(n, "file")+".")
		return out, paint.Warn
	}
	return out, paint.Faint
}

// RiskWords says how many bytes a rewind could lose. A rewind saves the files first and keeps what it
// cannot save, so there are none.
func RiskWords(look *rewindlib.Preview) string {
	if len(look.Kept) > 0 {
		return "0 bytes at risk: the present is saved first, " + cliui.Count(len(look.Kept), "file") + " kept."
	}
	return "0 bytes at risk: the present is saved first."
}
