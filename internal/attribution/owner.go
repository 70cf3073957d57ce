package attribution

// Class is the kind of an owner.
type Class uint8

// The classes. Before is the zero value: the line, or the change, is older than the
// history.
const (
	Before Class = iota
	Agent
	Person
	Unknown
)

// Owner is who made a change. The package looks only at the class and compares the rest,
// so that callers may distinguish owners as finely as their evidence allows.
type Owner struct {
	Class      Class
	Session    string // of an agent
	Turn       int    // the session's turn, from 1; 0 if unknown
	Remembered bool   // the owner was determined earlier and is not to be determined again
}

// Is reports whether two owners are the same agent's session, or have the same class,
// whatever the turn.
func (o Owner) Is(other Owner) bool { return o.Class == other.Class && o.Session == other.Session }

// Line is one line of a version with its owner.
type Line struct {
	// Owner wrote the line or, if Moved, moved or reformatted an older line. It is Before
	// for a line that was not changed.
	Owner Owner
	// Moved is true if the text is older than Owner's change, which moved or reformatted
	// it.
	Moved bool
	// Modified is true if the line replaced another one.
	Modified bool
	// Written is the print of the line as its owner wrote it, if a formatter or the like has changed it since; otherwise 0.
	Written Print
	// Version is the first version that has the line, counted from 1 as [Version.After] does; 0 for a line that
	// the history began with.
	Version int
	// Added is true if the commit has the line and its parents do not. Only
	// [History.Commit] sets it; there, the owner of every other line is Before.
	Added bool
}

// Removal is a line of a commit's parent that the commit no longer has.
type Removal struct {
	Line     int // from 0, in the first parent
	Owner    Owner
	Replaced bool // another line replaced it
}

// File is one file of a commit.
type File struct {
	Lines   []Line // one for each line of the committed version
	Removed []Removal
}
