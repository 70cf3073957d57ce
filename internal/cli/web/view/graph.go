package view

import "entire/internal/timeline"

// laneWidth is the width of a session's column in pixels.
const laneWidth = 12

// A Graph is what stands before a row: the columns of the sessions, and the mark of the row's point.
type Graph struct {
	Width int
	Lines []GraphLine
	X     int    // of the mark
	Lane  int    // of the mark: its colour; 0 for none
	Mark  string // "turn", "commit" …
}

// A GraphLine is a session's column where it passes or ends at a row.
type GraphLine struct {
	X, Lane  int
	From, To string // height, as "0", "50%" or "100%"
}

// graphs returns the graphs of the points of a window. A session's column reaches from its first point in the
// window to its last.
func graphs(points []timeline.Point) []Graph {
	lanes := 0
	type column struct {
		session     string
		first, last int
	}
	var columns []column
	at := map[string]int{} // the column that a session has at last
	lane := map[string]int{}
	for i, p := range points {
		if p.Lane == 0 {
			continue
		}
		lanes = max(lanes, p.Lane)
		if k, ok := at[p.Session]; ok && lane[p.Session] == p.Lane {
			columns[k].last = i
			continue
		}
		at[p.Session], lane[p.Session] = len(columns), p.Lane
		columns = append(columns, column{p.Session, i, i})
	}
	out := make([]Graph, len(points))
	for i, p := range points {
		g := Graph{Width: (lanes + 1) * laneWidth, X: laneWidth/2 + p.Lane*laneWidth, Lane: p.Lane, Mark: string(p.Kind)}
		for _, c := range columns {
			if i < c.first || i > c.last || c.first == c.last {
				continue
			}
			n := points[c.first].Lane
			l := GraphLine{X: laneWidth/2 + n*laneWidth, Lane: n, From: "0", To: "100%"}
			if i == c.first {
				l.From = markY
			}
			if i == c.last {
				l.To = markY
			}
			g.Lines = append(g.Lines, l)
		}
		out[i] = g
	}
	return out
}

// markY is where in a row the mark is: beside the row's first line of text.
const markY = "14"
