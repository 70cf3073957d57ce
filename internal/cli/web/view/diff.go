package view

import (
	"fmt"
	"html/template"
	"strconv"

	"entire/internal/patch"
)

// Bounds of what one page shows of a change. What is more has pages of its own.
const (
	diffRoom  = 24 << 10 // compressed
	diffLines = 1500
)

// A Diff is a change as a page shows it.
type Diff struct {
	Files []DiffFile
	Split bool
}

// A DiffFile is what a change does to one file.
type DiffFile struct {
	Path, Old, Action     string
	Insertions, Deletions int
	Binary                bool
	Anchor                string
	Hunks                 []DiffHunk
	Left                  int    // hunks that this page does not show
	More                  string // the address of a page that shows them
	Note                  string // why nothing is shown
	Back                  string // the address that brings the file back; "" for none
}

// A DiffHunk is a part of a file in which lines changed.
type DiffHunk struct {
	Place, Section string
	Lines          []DiffLine // one below the other
	Pairs          []DiffPair // or side by side
	Choice         string     // the value of a box that chooses the hunk; "" for none
	Chosen         bool
}

// A DiffLine is a line of a hunk. Its class is "a" for one that was added, "d" for one that was removed.
type DiffLine struct {
	Class    string
	Old, New string
	Code     template.HTML
	End      bool // the file ends after it, without a line feed
}

// A DiffPair is a row of a hunk side by side.
type DiffPair struct{ Left, Right *DiffLine }

// A Shower makes a Diff within the bounds of a page.
type Shower struct {
	Split bool
	Whole bool // the page is one file, and has everything
	// More returns the address of a page with a file's change from a line of a hunk on.
	More func(path string, hunk, line int) string
	// Back returns the address that brings a file back; nil for none.
	Back func(path string) string
	// Choose returns the value of the box that chooses a hunk, counted from 1, and whether it is chosen; nil for
	// no boxes.
	Choose func(path string, hunk int) (value string, chosen bool)

	room  *Room
	lines int
}

// Show returns what a page shows of files; of a single file, the change from a line of a hunk on.
func (s *Shower) Show(files []patch.File, hunk, line int) Diff {
	s.room = NewRoom(diffRoom)
	d := Diff{Split: s.Split}
	for i, f := range files {
		if len(files) > 1 {
			hunk, line = 0, 0
		}
		d.Files = append(d.Files, s.file(f, "f"+strconv.Itoa(i+1), hunk, line))
	}
	return d
}

func (s *Shower) file(f patch.File, anchor string, hunk, line int) DiffFile {
	out := DiffFile{Path: f.Path(), Action: f.Action, Insertions: f.Insertions, Deletions: f.Deletions, Binary: f.Binary, Anchor: anchor}
	if f.Old != "" && f.Old != f.New && f.New != "" {
		out.Old = f.Old
	}
	if s.Back != nil {
		out.Back = s.Back(out.Path)
	}
	switch {
	case f.Binary:
		out.Note = "a binary file"
	case len(f.Hunks) == 0 && f.Action == patch.Mode:
		out.Note = fmt.Sprintf("its mode changed from %s to %s", f.OldMode, f.NewMode)
	case len(f.Hunks) == 0:
		out.Note = "no line changed"
	}
	for i := min(hunk, len(f.Hunks)); i < len(f.Hunks); i++ {
		h := f.Hunks[i]
		h.Lines = h.Lines[min(line, len(h.Lines)):]
		n := s.fits(h.Lines)
		if n > 0 {
			h.Lines = h.Lines[:n]
			shown := s.hunk(out.Path, h)
			if s.Choose != nil && len(f.Hunks) > 0 {
				shown.Choice, shown.Chosen = s.Choose(out.Path, i+1)
			}
			out.Hunks = append(out.Hunks, shown)
		}
		if n += line; n < len(f.Hunks[i].Lines) {
			out.Left, out.More = len(f.Hunks)-i, s.More(out.Path, i, n)
			break
		}
		line = 0
	}
	return out
}

// fits takes room for lines, and returns for how many there is. A page has at least one line.
func (s *Shower) fits(lines []patch.Line) int {
	for i, l := range lines {
		if s.lines++; !s.Whole && s.lines > 1 && (s.lines > diffLines || !s.room.Take(shortened(l.Text, lineMax)+"\n")) {
			return i
		}
	}
	return len(lines)
}

func (s *Shower) hunk(path string, h patch.Hunk) DiffHunk {
	out := DiffHunk{Place: place(h), Section: h.Section}
	colours := h.Colour(path)
	if !s.Split {
		for i, l := range h.Lines {
			out.Lines = append(out.Lines, *line(l, colours[i]))
		}
		return out
	}
	at := map[*patch.Line][]patch.Token{}
	for i := range h.Lines {
		at[&h.Lines[i]] = colours[i]
	}
	for _, p := range h.Pairs() {
		var pair DiffPair
		if p.Left != nil {
			pair.Left = line(*p.Left, at[p.Left])
		}
		if p.Right != nil {
			pair.Right = line(*p.Right, at[p.Right])
		}
		out.Pairs = append(out.Pairs, pair)
	}
	return out
}

func line(l patch.Line, tokens []patch.Token) *DiffLine {
	out := &DiffLine{Code: codeHTML(tokens), End: l.NoNewline}
	switch l.Op {
	case '+':
		out.Class = "a"
	case '-':
		out.Class = "d"
	}
	if l.Old > 0 {
		out.Old = strconv.Itoa(l.Old)
	}
	if l.New > 0 {
		out.New = strconv.Itoa(l.New)
	}
	return out
}

// place returns where a hunk is, in the words of a patch; "" where that is not known.
func place(h patch.Hunk) string {
	if h.OldFrom == 0 && h.NewFrom == 0 {
		return "" // where it was is not known
	}
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldFrom, h.OldLines, h.NewFrom, h.NewLines)
}
