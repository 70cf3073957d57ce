package past

import (
	"time"

	"entire/internal/cli/tui/pane"

	"entire/internal/cli/tui/paint"
)

// A pointList is the list of points with its cursor.
type pointList struct {
	pane.Pages
	at, top int    // the cursor, and the first point in view
	height  int    // rows in view
	present string // ID of the newest point whose files are those of the worktree
	turns   bool   // only whole turns: what happened within one is left out
	heads   bool   // days have a heading of their own
	zone    *time.Location
}

// hidden reports whether a point is left out.
func (l *pointList) hidden(i int) bool {
	p := l.Pages.At(i)
	return l.turns && p != nil && within(*p)
}

// move moves the cursor by n points that are not left out.
func (l *pointList) move(n int) {
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	last := l.last()
	for at := l.at + step; n > 0 && at >= 0 && at <= last; at += step {
		if !l.hidden(at) {
			l.at, n = at, n-1
		}
	}
	l.follow()
}

// last returns the index of the last point that the cursor can be on. Points that were not read yet
// count as long as there may be some.
func (l *pointList) last() int {
	if l.More {
		return l.Known + pane.PageSize
	}
	return max(l.Known-1, 0)
}

// to moves the cursor to a point.
func (l *pointList) to(i int) {
	l.at = max(0, min(i, l.last()))
	l.follow()
}

// follow scrolls so that the cursor is in view.
func (l *pointList) follow() {
	l.at = max(0, min(l.at, l.last()))
	l.top = min(l.top, l.at)
	for l.top < l.at && l.rowsBetween(l.top, l.at) >= l.height {
		l.top++
	}
}

// rowsBetween returns how many rows are above that of the point to, if from is the first in view.
func (l *pointList) rowsBetween(from, to int) int {
	if to-from > 4*l.height { // too far to pane.Count
		return to - from
	}
	n := 0
	for i := from; i <= to; i++ {
		if i < to && !l.hidden(i) {
			n++
		}
		if l.heads && l.newDay(i, from) {
			n++
		}
	}
	return n
}

// newDay reports whether the point begins a day. The first in view does, too.
func (l *pointList) newDay(i, first int) bool {
	p := l.Pages.At(i)
	if p == nil || l.hidden(i) {
		return false
	}
	if i == first {
		return true
	}
	before := l.Pages.At(i - 1)
	return before != nil && !sameDay(l.zone, before.When, p.When)
}

// rows returns the rows in view, and for each the index of its point, -1 for none.
func (l *pointList) rows(s pane.Screen) (rows []paint.Line, at []int) {
	end := l.top + s.H
	runs := laneRuns(&l.Pages, l.top, end)
	lanes := min(lanesUsed(runs, l.top, end), laneColumns(s.W))
	for i := l.top; len(rows) < s.H && i < l.Known; i++ {
		p := l.Pages.At(i)
		if l.hidden(i) {
			continue
		}
		if p == nil {
			rows, at = append(rows, paint.L(paint.Gap(2), paint.Span{Text: s.Ellipsis, Role: paint.Faint})), append(at, i)
			continue
		}
		if l.heads && l.newDay(i, l.top) {
			rows, at = append(rows, dayRow(s, p.When)), append(at, -1)
		}
		rows = append(rows, pointRow(s, *p, graphOf(s, *p, i, runs, lanes), p.ID == l.present, i == l.at))
		at = append(at, i)
	}
	return paint.Block(rows, s.H), at
}

// laneColumns returns how many lanes a list of that width shows.
func laneColumns(width int) int {
	switch {
	case width < 50:
		return 2
	case width < 70:
		return 4
	}
	return 8
}

// where says where in the list the cursor is.
func (l *pointList) where() string {
	if !l.Read {
		return ""
	}
	return pane.Count(min(l.at+1, l.Known), l.Known, l.More)
}
