package versions

import "time"

// Hash names a content: the ID that git gives to a blob with these bytes, in hex.
type Hash string

// Contents keeps contents by their hash.
type Contents interface {
	// Get returns a content; an error if it is not there.
	Get(Hash) ([]byte, error)
	// Put keeps a content and returns its hash.
	Put([]byte) (Hash, error)
	// Find returns the hash of a content that is stored and whose hash begins so; false for none.
	Find(prefix string) (Hash, bool)
	// Known reports whether somebody else stored just these bytes: the proof that a rebuilt content existed.
	Known(Hash) bool
}

// Kind is what a piece of evidence says.
type Kind uint8

// The kinds of evidence.
const (
	Whole  Kind = iota // the content was Content
	Shown              // some lines were as Text says
	Edited             // Edits changed the content
	Gone               // the file was not there any more
)

// Evidence is one thing that is known of a file at one moment.
type Evidence struct {
	Path   string
	At     time.Time
	Seq    int    // orders what one source tells of the same moment
	Source string // in plain words, for people
	Kind   Kind

	// Whole: the content. Loose says that only its text is certain, not its line ends, byte order mark and
	// final line end. Mode is git's, 0 if unknown.
	Content Hash
	Size    int64 // -1 if it was not read
	Loose   bool
	Mode    uint32
	// Filtered says of a Whole that it is what git's filters made of the file, not the file's own bytes.
	Filtered bool
	// Kept says of a Whole that the content is not lost: it is in a commit of a branch, or was replaced there by a later
	// form of the same commit.
	Kept bool
	// Computed says of a Whole that git may have made the content from others, as in a merge. A content that nothing else
	// shows is then not lost.
	Computed bool
	// Snapshot says of a Whole that the worktree had the content, wanted or not.
	Snapshot bool

	// Shown: the lines from number First on, the first being 1. Total is the number of lines of the file, 0 if
	// unknown; a text with a final line end has an empty line after it.
	Text         string
	First, Total int

	Edits []Edit // Edited, in order
	// Base and Result, if given, are the beginnings of the hashes of the contents before and after the Edits. It is
	// then a difference that somebody saw: it tells the content at that time, and changes nothing.
	Base, Result string
}

// Edit is one change of a content: a text that was replaced by another, or the Hunks, where the text does not
// fit or is not told.
type Edit struct {
	Old, New string // with an empty Old and no Hunks, New is the whole content of an empty file
	All      bool   // every occurrence was replaced
	Append   string // otherwise: this was added at the end
	// EachLine says that Old was replaced in each line that has it: once, or with All every time. Begins and Ends say that
	// it is at the line's beginning and end.
	EachLine, Begins, Ends bool
	Hunks                  []Hunk

	cut string // the reverse of Append
}

// Hunk is a run of lines that a change touches: each begins with ' ', '-' or '+', and has no line end. A
// line with '\' says that the line before it has no line end in the file. Index is the number of lines before
// the hunk in the old content, -1 if unknown. First says that the hunk is where its lines first stand, after
// the line After if there is one.
type Hunk struct {
	Index int
	Lines []string
	First bool
	After string
}

// Sureness is how sure it is that a version's bytes are those of the file.
type Sureness uint8

// The degrees of sureness, the least sure first.
const (
	Partial  Sureness = iota // only some lines are known
	Rebuilt                  // told changes, or a text as an agent was shown it; nothing confirms the bytes
	Verified                 // rebuilt, and the same bytes were found elsewhere
	Exact                    // stored by somebody as they were
)

// String returns the word that people and scripts read.
func (s Sureness) String() string {
	switch s {
	case Exact:
		return "exact"
	case Verified:
		return "verified"
	case Rebuilt:
		return "rebuilt"
	}
	return "partial"
}

// Range is a run of lines, first to last, counted from 1.
type Range struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// Version is one content that a file had.
type Version struct {
	Path string
	// At is when the content is first known, Last when it was last seen.
	At, Last time.Time
	Source   string
	Also     int // how many other pieces of evidence show the same content
	Sure     Sureness
	Content  Hash // of a Partial version: the known lines, with a note for each gap
	Size     int64
	Mode     uint32
	Kept     bool
	Computed bool // only evidence that is Computed shows the content
	Snapshot bool // only evidence that is a Snapshot shows the content
	Filtered bool // the content is what git's filters made of the file
	Loose    bool // the line ends, and whether there is a last one, are not certain
	Gone     bool // the file was not there; it has no content
	// Changes is how many told changes lead to a rebuilt version, and Base the source of where they begin.
	Changes int
	Base    string
	Lines   []Range // Partial: the lines that are known
	Total   int     // Partial: how many lines the file had, 0 if unknown
}
