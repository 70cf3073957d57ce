package term

import (
	"io"

	"charm.land/lipgloss/v2"

	"entire/internal/legible"
)

// Style is the meaning of a text, which a terminal shows by its colour.
type Style int

// The styles. Text without colour must be understandable without them.
const (
	Strong Style = iota
	Faint
	Good
	Bad
	Match // a match of a search
	Added // what a line has that the one before it in time lacks
	Taken // what a line had that the one after it lacks

	plainStyle Style = -1
)

// Styled returns text as a terminal shows it; unchanged if there is no colour. The text is
// plain: control sequences in it are shown, not obeyed.
func (t Terminal) Styled(s Style, text string) string {
	if !t.Color || text == "" || s == plainStyle {
		return text
	}
	style := lipgloss.NewStyle()
	switch s {
	case Strong:
		style = style.Bold(true)
	case Faint:
		style = style.Faint(true)
	case Good:
		style = style.Foreground(lipgloss.Green)
	case Bad:
		style = style.Foreground(lipgloss.Red)
	case Added:
		style = style.Foreground(lipgloss.Green).Bold(true).Underline(true)
	case Taken:
		style = style.Foreground(lipgloss.Red).Bold(true).Underline(true)
	case Match:
		style = style.Bold(true).Foreground(lipgloss.Yellow)
	}
	return legible.Mark(style.Render(legible.Text(text)), t.Mark)
}

// Style is [Terminal.Styled] with a meaning, for a [Cell].
func (t Terminal) Style(s Style) func(string) string {
	return func(text string) string { return t.Styled(s, text) }
}

// WantsColor reports whether text written to w may have colour: w is a terminal, and
// noColor, the value of NO_COLOR, is empty.
func WantsColor(w io.Writer, noColor, term string) bool {
	return noColor == "" && term != "dumb" && IsTerminal(w)
}
