package view

import (
	"html/template"
	"slices"
	"strings"

	"entire/internal/patch"
	"entire/internal/review"
)

// Bounds of what one page of a review shows.
const (
	reviewRoom    = 26 << 10 // compressed
	reviewLines   = 1500
	reviewPrompts = 3 // prompts of a hunk
)

// A Review is who wrote the lines of a change, as a page shows it.
type Review struct {
	*review.Page
	Shares []Share
	Shown  []ReviewFile
	First  int // of all files, the first that is shown
	Left   int // files that are not shown after those
	Alone  int // hunks that only agents touched
}

// A Share is the part of a bar that belongs to a class, in percent.
type Share struct {
	Class       string
	From, Width float64
}

// A ReviewFile is a file of a Review.
type ReviewFile struct {
	review.PageFile
	Shares []Share
	Hunks  []ReviewHunk
	Left   int // hunks for which the page had no room
}

// A ReviewHunk is a hunk with the owners of its lines.
type ReviewHunk struct {
	review.PageHunk
	Asked []Text
	Lines []ReviewLine
	Cut   int // lines that are not shown
}

// A ReviewLine is a line with its owner.
type ReviewLine struct {
	Class string // "a", "d" or ""
	Owner string // the class of its owner
	Who   string
	Num   string
	Code  template.HTML
}

// NewReview returns what a page shows of a document, the files from one on. Without bounds it shows all of it, as
// a file for somebody else does. clean takes secrets out of the text of lines; nil for none.
func NewReview(d *review.Document, from int, bounded bool, clean func(string) string) Review {
	p := d.Page()
	r := Review{Page: p, Shares: shares(p.Totals.Added), First: from}
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			if h.Class == review.Agent {
				r.Alone++
			}
		}
	}
	show := reviewShower{room: NewRoom(reviewRoom), bounded: bounded, clean: clean}
	for i := from; i < len(p.Files); i++ {
		if i > from && show.full() {
			r.Left = len(p.Files) - i
			break
		}
		r.Shown = append(r.Shown, show.file(p.Files[i]))
	}
	return r
}

func shares(t review.Tally) []Share {
	var out []Share
	at := 0.0
	for _, s := range []Share{{Class: review.Agent, Width: t.Share(t.Agent)}, {Class: review.Human, Width: t.Share(t.Human)}, {Class: review.Unknown, Width: t.Share(t.Unknown)}} {
		if s.Width > 0 {
			s.From = at
			at += s.Width
			out = append(out, s)
		}
	}
	return out
}

type reviewShower struct {
	room    *Room
	lines   int
	bounded bool
	clean   func(string) string
}

func (s *reviewShower) full() bool {
	return s.bounded && (s.room.Full() || s.lines >= reviewLines)
}

func (s *reviewShower) file(f review.PageFile) ReviewFile {
	out := ReviewFile{PageFile: f, Shares: shares(f.Added)}
	for i, h := range f.Hunks {
		if i > 0 && s.full() {
			out.Left = len(f.Hunks) - i
			break
		}
		out.Hunks = append(out.Hunks, s.hunk(f.Path, h))
	}
	return out
}

func (s *reviewShower) hunk(path string, h review.PageHunk) ReviewHunk {
	out := ReviewHunk{PageHunk: h, Cut: h.Left}
	room := s.room
	if !s.bounded {
		room = NewRoom(1 << 30)
	}
	out.Asked = room.CutTexts(h.Prompts[:min(len(h.Prompts), reviewPrompts)], 2000)
	if s.clean != nil {
		h.Lines = slices.Clone(h.Lines)
		for i := range h.Lines {
			h.Lines[i].Text = s.clean(h.Lines[i].Text)
		}
	}
	colours := sides(path, h.Lines)
	for i, l := range h.Lines {
		if s.lines++; i > 0 && (s.full() || !room.Take(shortened(l.Text, lineMax)+"\n")) {
			out.Cut += len(h.Lines) - i
			break
		}
		line := ReviewLine{Owner: l.Class, Who: l.Who, Num: l.Number, Code: codeHTML(colours[i])}
		switch l.Sign {
		case "+":
			line.Class = "a"
		case "−":
			line.Class = "d"
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// sides colours the lines of a hunk, each side as a text of its own.
func sides(path string, lines []review.PageLine) [][]patch.Token {
	out := make([][]patch.Token, len(lines))
	for _, leave := range []string{"−", "+"} {
		var text []string
		var at []int
		for i, l := range lines {
			if l.Sign != leave {
				text, at = append(text, l.Text), append(at, i)
			}
		}
		for k, tokens := range patch.Colour(path, strings.Join(text, "\n")) {
			if k < len(at) {
				out[at[k]] = tokens
			}
		}
	}
	return out
}
