package past

import (
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
	"entire/internal/timeline"
)

// laneReach is how far beyond the rows in view a session's other points are looked for.
const laneReach = 64

// A laneRun says between which points a session has a lane.
type laneRun struct {
	lane     int
	from, to int // the first and last index
}

// laneRuns returns the runs of the lanes around the points from up to, but without, to.
func laneRuns(p *pane.Pages, from, to int) []laneRun {
	var runs []laneRun
	open := map[int]int{} // by lane: the index in runs
	session := map[int]string{}
	for i := max(from-laneReach, 0); i < to+laneReach; i++ {
		pt := p.At(i)
		if pt == nil || pt.Lane == 0 {
			continue
		}
		if k, ok := open[pt.Lane]; ok && session[pt.Lane] == pt.Session {
			runs[k].to = i
			continue
		}
		open[pt.Lane], session[pt.Lane] = len(runs), pt.Session
		runs = append(runs, laneRun{pt.Lane, i, i})
	}
	return runs
}

// lanesUsed returns the number of columns that the runs need between two points.
func lanesUsed(runs []laneRun, from, to int) int {
	n := 0
	for _, r := range runs {
		if r.to >= from && r.from < to {
			n = max(n, r.lane)
		}
	}
	return n
}

// graphOf returns the lanes beside a point: a column for what belongs to no session, and one for each
// lane.
func graphOf(s pane.Screen, pt timeline.Point, i int, runs []laneRun, lanes int) paint.Line {
	line := make(paint.Line, lanes+1)
	for k := range line {
		line[k] = paint.Gap(1)
	}
	for _, r := range runs {
		if r.from < i && i < r.to && r.lane <= lanes {
			line[r.lane] = paint.Span{Text: s.Pipe, Role: paint.LaneRole(r.lane)}
		}
	}
	at := min(pt.Lane, lanes)
	line[at] = paint.Span{Text: pane.KindGlyph(s, pt.Kind), Role: paint.LaneRole(pt.Lane)}
	if pt.Lane == 0 {
		line[at].Role = paint.Plain
	}
	return line
}
