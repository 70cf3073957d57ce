package paint

// Role is the meaning of a text.
type Role uint8

// The roles. Without colours, only Strong, Title, Key, Link and Match differ from Plain.
const (
	Plain Role = iota
	Faint
	Strong
	Title
	Accent
	Key // a key that a person may press
	Good
	Bad
	Warn
	Added
	Removed
	Meta // what git says about a change
	Link
	Code

	SynKeyword
	SynName
	SynFunction
	SynType
	SynString
	SynNumber
	SynComment
	SynOperator

	Lane1
	Lane2
	Lane3
	Lane4
	Lane5
	Lane6

	roles
)

// laneCount is the number of colours for sessions.
const laneCount = int(Lane6-Lane1) + 1

// LaneRole returns the role of what belongs to a lane, counted from 1; Faint for none.
func LaneRole(lane int) Role {
	if lane < 1 {
		return Faint
	}
	return Lane1 + Role((lane-1)%laneCount)
}

// Back is what a text lies on.
type Back uint8

// The backgrounds. Without colours, OnCursor and OnMatch are reversed.
const (
	OnNothing Back = iota
	OnCursor       // the row that keys act on
	OnRow          // that row in a panel that keys do not go to
	OnBar          // the first and the last line of the screen
	OnAdded
	OnRemoved
	OnAddedPart // what changed within a line
	OnRemovedPart
	OnMatch
	OnMark // the points A and B

	backs
)
