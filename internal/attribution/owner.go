package attribution

// Class says what kind of maker an owner is.
type Class uint8

// The classes. Before is the zero value: the line, or the change, is older than
// the history looked at.
const (
	Before Class = iota
	Agent
	Person
	Unknown
)

// Owner is who made a change. It is compared and carried, never looked into
// except for its class, so that callers may tell owners apart as finely as they
// have evidence for.
type Owner struct {
	Class   Class
	Session string // of an agent
	Turn    int    // of the session, from 1; 0 where it is not known
	Settled bool   // is remembered from earlier, and not to be asked about again
}

// Is reports whether two owners are the same maker, whatever the turn.
func (o Owner) Is(other Owner) bool { return o.Class == other.Class && o.Session == other.Session }

// Line is what is known of one line of a version.
type Line struct {
	// Owner wrote the line or, if Moved, put an older line in its place. It is
	// Before for a line that is where it always was.
	Owner Owner
	// Moved: the words are older than Owner's change, which moved or re-indented
	// them.
	Moved bool
	// Modified: the line took another one's place.
	Modified bool
	// Added: the commit has the line and its parents have not. Set by
	// [History.Commit] only; there the owner of every other line is Before.
	Added bool
}

// Removal is a line of a commit's parent that the commit no longer has.
type Removal struct {
	Line     int // from 0, in the first parent
	Owner    Owner
	Replaced bool // another line took its place
}

// File is one file of a commit.
type File struct {
	Lines   []Line // one for each line of the committed version
	Removed []Removal
}

// Sum adds up what a commit did.
type Sum struct {
	Added, Removed int // as git counts them

	// By are the added lines of each owner, Modified how many of them took the
	// place of others. Gone are the removed lines that nothing took the place of.
	By, Modified, Gone map[Owner]int
}

// Add counts one more file.
func (s *Sum) Add(f File) {
	if s.By == nil {
		s.By, s.Modified, s.Gone = map[Owner]int{}, map[Owner]int{}, map[Owner]int{}
	}
	for _, l := range f.Lines {
		if !l.Added {
			continue
		}
		s.Added++
		s.By[l.Owner]++
		if l.Modified {
			s.Modified[l.Owner]++
		}
	}
	s.Removed += len(f.Removed)
	for _, r := range f.Removed {
		if !r.Replaced {
			s.Gone[r.Owner]++
		}
	}
}
