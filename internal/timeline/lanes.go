package timeline

import "slices"

const (
	lanesMax = 8  // columns in which sessions are drawn
	laneKeep = 64 // points without one of its own after which a session's lane is free
)

// A Lane is the column of one session's points.
type Lane struct {
	Lane    int    `json:"lane"`
	Session string `json:"session_id"`
}

// lanes gives sessions their columns, from the newest point to the oldest. A session keeps its lane while
// its points are near each other. The result for a point does not depend on the points after it, so a
// list that is read further does not change what is already shown.
type lanes struct {
	session [lanesMax]int32
	last    [lanesMax]int // index of the lane's latest point, plus one; 0 for a lane never used
}

// of returns the lane of the session's point at index i, 0 for no session.
func (l *lanes) of(session int32, i int) uint8 {
	if session < 0 {
		return 0
	}
	at := -1
	for k := range l.session {
		if l.last[k] > 0 && l.session[k] == session && i-l.last[k] < laneKeep {
			at = k
		}
	}
	for k := range l.session {
		if at < 0 && (l.last[k] == 0 || i-l.last[k] >= laneKeep) {
			at = k
		}
	}
	if at < 0 { // all are in use: the one that has been quiet longest gives way
		at = slices.Index(l.last[:], slices.Min(l.last[:]))
	}
	l.session[at], l.last[at] = session, i+1
	return uint8(at + 1)
}
