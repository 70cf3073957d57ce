package pane

import (
	"slices"
	"strconv"

	"entire/internal/cli/tui/paint"
)

// A Doc is a long text that makes only the lines in view.
type Doc struct {
	parts []docPart
	n     int
	marks []int // lines at which a part begins that one can jump to
}

type docPart struct {
	from, n int
	at      func(i int) paint.Line
}

// Add appends lines.
func (d *Doc) Add(lines ...paint.Line) {
	d.Lazy(len(lines), func(i int) paint.Line { return lines[i] })
}

// Lazy appends n lines, which at makes when they are shown.
func (d *Doc) Lazy(n int, at func(i int) paint.Line) {
	if n > 0 {
		d.parts = append(d.parts, docPart{d.n, n, at})
		d.n += n
	}
}

// Mark makes the next line one to jump to.
func (d *Doc) Mark() { d.marks = append(d.marks, d.n) }

// Len returns the number of lines.
func (d *Doc) Len() int { return d.n }

// View returns at most height lines from line top on.
func (d *Doc) View(top, height int) []paint.Line {
	var out []paint.Line
	k, _ := slices.BinarySearchFunc(d.parts, top, func(p docPart, at int) int {
		if p.from+p.n <= at {
			return -1
		}
		return 1
	})
	for ; k < len(d.parts) && len(out) < height; k++ {
		p := d.parts[k]
		for i := max(top-p.from, 0); i < p.n && len(out) < height; i++ {
			out = append(out, p.at(i))
		}
	}
	return out
}

// Next returns the line to jump to after or, with a negative direction, before line top; top if there
// is none.
func (d *Doc) Next(top, direction int) int {
	if direction > 0 {
		for _, m := range d.marks {
			if m > top {
				return m
			}
		}
		return top
	}
	for _, m := range slices.Backward(d.marks) {
		if m < top {
			return m
		}
	}
	return 0
}

// MarksAfter returns how many lines that one can jump to are at or after a line.
func (d *Doc) MarksAfter(line int) int {
	n := 0
	for _, m := range d.marks {
		if m >= line {
			n++
		}
	}
	return n
}

// Scrolled returns top moved by n lines, so that the last line stays in view.
func (d *Doc) Scrolled(top, n, height int) int { return max(0, min(top+n, d.n-height)) }

// A Position says which part of a list or text is in view.
type Position struct{ Top, Shown, Total int }

// At returns a position.
func At(top, shown, total int) Position { return Position{top, shown, total} }

// thumb returns the first line of a bar that shows the position, and after its last one; both are 0
// if everything is in view.
func (p Position) thumb(height int) (from, to int) {
	if p.Total <= p.Shown || height == 0 {
		return 0, 0
	}
	size := max(1, height*p.Shown/p.Total)
	from = (height - size) * p.Top / max(p.Total-p.Shown, 1)
	return min(from, height-size), min(from, height-size) + size
}

// Columns joins columns. The line between two of them also shows which part of the left one is in view;
// the last column of the screen shows it for the last one.
func Columns(s Screen, columns [][]paint.Line, widths []int, where []Position) []paint.Line {
	between := make([][]paint.Span, len(columns))
	for i := range columns {
		from, to := where[i].thumb(s.H)
		between[i] = make([]paint.Span, s.H)
		for y := range between[i] {
			sign, role := s.Bar, paint.Faint
			switch {
			case y >= from && y < to:
				sign, role = s.Thumb, paint.Accent
			case i == len(columns)-1:
				sign = " "
			}
			if i < len(columns)-1 {
				sign = " " + sign + " "
			}
			between[i][y] = paint.Span{Text: sign, Role: role}
		}
	}
	columns = append(columns[:len(columns):len(columns)], nil)
	widths = append(widths[:len(widths):len(widths)], 0)
	widths[len(widths)-2]--
	return paint.Beside(s.Theme, s.H, between, columns, widths)
}

// Count says where in a list one is.
func Count(at, of int, more bool) string {
	if of == 0 {
		return ""
	}
	text := Itoa(at) + "/" + Itoa(of)
	if more {
		text += "+"
	}
	return text
}

func Itoa(n int) string { return strconv.Itoa(n) }
