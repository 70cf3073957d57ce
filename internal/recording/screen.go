//go:build linux || darwin

package recording

import (
	"image/color"
	"strings"
	"time"
)

// A Cell is a character of the screen. Fore and Back are nil for the terminal's own colours.
type Cell struct {
	Text                            string
	Width                           int // in columns
	Fore, Back                      color.Color
	Bold, Faint, Italic, Underlined bool
	Reverse                         bool
}

// A Screen is what a terminal shows at one moment. A row has fewer cells than columns if some are wide.
type Screen struct {
	Columns int
	Rows    [][]Cell
}

// Text returns the screen as lines of plain text, without spaces at their ends.
func (s Screen) Text() string {
	var b strings.Builder
	for _, row := range s.Rows {
		var line strings.Builder
		for _, c := range row {
			line.WriteString(c.Text)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// A Frame is a screen and how long it is shown.
type Frame struct {
	Screen Screen
	For    time.Duration
}
