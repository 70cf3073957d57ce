package paint

// shades are a colour for each kind of terminal: with many colours or 256, each on a dark and on a light
// background, and with 16. A background that 256 colours have no quiet tone for is left out there.
type shades struct {
	dark, light       string
	fewDark, fewLight string
	base              string
}

// pick returns the colour for the theme, "" for none.
func (t *Theme) pick(s shades) string {
	switch {
	case t.Colors == None:
		return ""
	case t.Colors == Base:
		return s.base
	case t.Colors == Few && t.Light:
		return s.fewLight
	case t.Colors == Few:
		return s.fewDark
	case t.Light:
		return s.light
	}
	return s.dark
}

const none = ""

// The colours of text have a contrast of at least 4.5 to 1 to the terminal's background and to each
// background below, which the tests check.
var (
	blue   = shades{"#8ab4f8", "#1a4fa8", "111", "25", "4"}
	green  = shades{"#8cc98f", "#1a6b2c", "114", "22", "2"}
	red    = shades{"#f09a9a", "#a8221b", "210", "124", "1"}
	amber  = shades{"#e2b366", "#7d5200", "179", "94", "3"}
	violet = shades{"#c3a0e8", "#6b36a3", "183", "55", "5"}
	teal   = shades{"#7fc7bd", "#0c625a", "115", "23", "6"}
	rose   = shades{"#e59bb8", "#9c2d57", "175", "125", "5"}
	sand   = shades{"#d8b58a", "#6f430f", "180", "94", "3"}
	grey   = shades{"#a0a7b4", "#555c68", "248", "240", "8"}
	slate  = shades{"#a3adc2", "#4c566e", "146", "60", "8"}
)

var roleColours = [roles]shades{
	Faint: grey, Title: blue, Accent: blue, Key: blue, Good: green, Bad: red, Warn: amber, Added: green, Removed: red, Meta: slate, Link: blue, Code: sand,
	SynKeyword: violet, SynFunction: blue, SynType: teal, SynString: sand, SynNumber: sand, SynComment: grey, SynOperator: slate,
	Lane1: blue, Lane2: green, Lane3: amber, Lane4: violet, Lane5: teal, Lane6: rose,
}

var backColours = [backs]shades{
	OnCursor:      {"#2f3747", "#dbe5f7", "238", "253", none},
	OnRow:         {"#262b35", "#ebeef4", "236", "255", none},
	OnBar:         {"#22262e", "#eceff3", "235", "255", none},
	OnAdded:       {"#17301f", "#e4f5e7", none, "194", none},
	OnRemoved:     {"#381f21", "#fbe9e8", none, "224", none},
	OnAddedPart:   {"#1e4129", "#c3e9cb", "22", "157", none},
	OnRemovedPart: {"#5a282c", "#f8d4d2", "52", "217", none},
	OnMatch:       {"#43360a", "#fbe69a", "58", "229", none},
	OnMark:        {"#3b3054", "#e7dcfa", "236", "189", none},
}
