package patch

// What a patch does to a file.
const (
	Create = "create"
	Remove = "remove"
	Write  = "write"
	Mode   = "mode" // nothing but the mode
	Rename = "rename"
	Copy   = "copy"
)

// A File is what a patch does to one file.
type File struct {
	Old, New         string // paths, without git's a/ and b/; "" on the side that has no such file
	OldMode, NewMode string // in octal, as git prints them; "" if the patch names none
	Action           string
	Binary           bool // the content is not shown as text
	Hunks            []Hunk
	Insertions       int
	Deletions        int
}

// Path returns the new path, or the old one of a file that was removed.
func (f File) Path() string {
	if f.New == "" {
		return f.Old
	}
	return f.New
}

// A Hunk is a part of a file in which lines changed, with the unchanged ones around them.
type Hunk struct {
	// The numbers are those of the patch: with zero lines, From is the line before the place.
	OldFrom, OldLines int
	NewFrom, NewLines int
	Section           string // what git found to name the place, such as a function's first line
	Lines             []Line
}

// A Line is one line of a hunk.
type Line struct {
	Op        byte   // ' ', '+' or '-'
	Text      string // without the line feed; a carriage return stays
	Old, New  int    // numbers of the line on each side, 0 where it is not there
	NoNewline bool   // the file ends after Text
	Marks     []Span // the bytes of Text that differ from the line beside it; none if all or nothing does
}

// A Span is a range of bytes.
type Span struct{ From, To int }
