package paint

// Glyphs are the signs of the screen.
type Glyphs struct {
	Ellipsis string
	Cursor   string // before the row that keys act on
	Here     string // the point that the files are at
	Bar      string // between panels
	Rule     string // between parts of one
	Quote    string // before a quoted line
	Bullet   string
	Pipe     string // a session between its points
	Thumb    string // where in a list one is
	Older    string
	Newer    string
	Into     string // before what belongs to the line above
	Owner    string // beside a line of an agent
	Minus    string

	Turn, Task, Auto, Label, Commit, Rewind, Saved string // kinds of points
	Active, Idle, Ended                            string // states of sessions
	Lost                                           string // the alarm
}

var unicodeGlyphs = Glyphs{
	Ellipsis: "…", Cursor: "›", Here: "◂", Bar: "│", Rule: "─", Quote: "▎", Bullet: "•", Pipe: "│", Thumb: "┃", Older: "◂", Newer: "▸",
	Into: "└", Owner: "▌", Minus: "−",
	Turn: "●", Task: "○", Auto: "·", Label: "▲", Commit: "◆", Rewind: "↺", Saved: "▫",
	Active: "●", Idle: "○", Ended: "·", Lost: "▲",
}

var asciiGlyphs = Glyphs{
	Ellipsis: "~", Cursor: ">", Here: "<", Bar: "|", Rule: "-", Quote: "|", Bullet: "*", Pipe: "|", Thumb: "#", Older: "<", Newer: ">",
	Into: "`", Owner: "|", Minus: "-",
	Turn: "o", Task: "*", Auto: ".", Label: "^", Commit: "#", Rewind: "@", Saved: "+",
	Active: "o", Idle: "-", Ended: ".", Lost: "!",
}
