package logcmd

import (
	"strings"

	"entire/internal/timeline"
)

// glyphs mark the kinds of points.
var glyphs = map[timeline.Kind]string{
	timeline.Turn: "●", timeline.Task: "◦", timeline.Auto: "·", timeline.Label: "◆", timeline.Commit: "○", timeline.Rewind: "↶", timeline.Saved: "·",
	timeline.Outside: "·",
}

// mark returns what stands at the beginning of a point's first line, and the columns that it takes.
func (w *textRows) mark(r row) (string, int) {
	glyph := glyphs[r.Kind]
	if r.lanes == nil {
		return w.t.Hue(hueOf(r.Point), glyph) + " ", 2
	}
	w.columns = max(w.columns, len(r.lanes))
	var b strings.Builder
	for k := range w.columns {
		switch {
		case k < len(r.lanes) && r.lanes[k].here:
			b.WriteString(w.t.Hue(k, glyph))
		case k < len(r.lanes) && r.lanes[k].runs:
			b.WriteString(w.t.Hue(k, "│"))
		default:
			b.WriteString(" ")
		}
		b.WriteString(" ")
	}
	return b.String(), 2 * w.columns
}

// hueOf returns the colour of a point: that of its session's lane.
func hueOf(p timeline.Point) int {
	if p.Kind == timeline.Commit {
		return 0
	}
	return p.Lane
}

// rails returns what stands at the beginning of the line below a point, or above the first of a day, and
// the columns that it takes.
func (w *textRows) rails(r row, below bool) (string, int) {
	if r.lanes == nil {
		return "  ", 2
	}
	var b strings.Builder
	for k := range w.columns {
		if k < len(r.lanes) && (below && r.lanes[k].on || !below && (r.lanes[k].runs || k == 0)) {
			b.WriteString(w.t.Hue(k, "│"))
		} else {
			b.WriteString(" ")
		}
		b.WriteString(" ")
	}
	return b.String(), 2 * w.columns
}
