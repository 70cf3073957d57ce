package pane

import (
	"charm.land/bubbles/v2/textinput"

	"entire/internal/cli/tui/paint"
)

// NewInput returns a line that can be edited, without colours of its own.
func NewInput() textinput.Model {
	in := textinput.New()
	in.Prompt = ""
	in.SetVirtualCursor(false)
	in.Focus()
	return in
}

// InputLine shows what is typed, with the cursor.
func InputLine(in textinput.Model) paint.Line {
	runes := []rune(in.Value())
	at := min(in.Position(), len(runes))
	under, after := " ", ""
	if at < len(runes) {
		under, after = string(runes[at]), string(runes[at+1:])
	}
	cursor := paint.Say(paint.Plain, under)
	cursor.Back = paint.OnMatch
	return paint.L(paint.Say(paint.Plain, string(runes[:at])), cursor, paint.Say(paint.Plain, after))
}

// ScrollKeys returns by how many lines a key moves.
func ScrollKeys(key string, height int) (int, bool) {
	const far = 1 << 30
	switch key {
	case "up", "k":
		return -1, true
	case "down", "j":
		return 1, true
	case "pgup", "ctrl+b":
		return 1 - height, true
	case "pgdown", "ctrl+f", "space":
		return height - 1, true
	case "home", "g":
		return -far, true
	case "end", "G":
		return far, true
	}
	return 0, false
}

// Gutter is the width of what separates two columns.
const Gutter = 3

// Wheel is how many lines one turn of the Wheel scrolls.
const Wheel = 3
