package logcmd

import (
	"slices"

	"entire/internal/timeline"
)

// A lane is what one column of the graph shows beside a point.
type lane struct {
	here bool // the point is in this lane
	on   bool // the lane goes on below the point
	runs bool // the lane passes the point
}

// A graph knows the lanes in use. Column 0 is the branch; the others are those of sessions.
type graph struct {
	session []string // by lane, "" while it is free
}

// next returns the columns for a point, given the points after it.
func (g *graph) next(p timeline.Point, older []timeline.Point) []lane {
	at := p.Lane
	if p.Kind == timeline.Commit {
		at = 0
	}
	for len(g.session) <= at {
		g.session = append(g.session, "")
	}
	if at > 0 {
		g.session[at] = p.Session
	}
	out := make([]lane, len(g.session))
	for k := range out {
		on := k == 0 && len(older) > 0 || k > 0 && g.goesOn(k, older)
		out[k] = lane{here: k == at, on: on, runs: k != at && on}
		if k > 0 && !on {
			g.session[k] = ""
		}
	}
	return out
}

// goesOn reports whether the session in a lane has a point among the next ones.
func (g *graph) goesOn(k int, older []timeline.Point) bool {
	if g.session[k] == "" {
		return false
	}
	i := slices.IndexFunc(older, func(p timeline.Point) bool { return p.Lane == k && p.Kind != timeline.Commit })
	return i >= 0 && i < lookAhead && older[i].Session == g.session[k]
}
