package paint

import (
	"strings"

	"entire/internal/legible"
)

// A Span is a text on one line with one look.
type Span struct {
	Text string // legible, without tabs
	Role Role
	Back Back
	Link string // where a terminal that knows links leads to
}

// Say returns a span of anybody's text: legible, on one line, with spaces for tabs.
func Say(r Role, text string) Span {
	if !plainASCII(text) {
		text = legible.Line(strings.ReplaceAll(text, "\t", tabs))
	}
	return Span{Text: text, Role: r}
}

const tabs = "    "

// A Line is one line of a panel.
type Line []Span

// L returns a line of spans.
func L(spans ...Span) Line { return spans }

// Text returns the line without its looks.
func (l Line) Text() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Width returns the number of columns of the line.
func (l Line) Width(t *Theme) int {
	n := 0
	for _, s := range l {
		n += t.Width(s.Text)
	}
	return n
}

// On returns the line on a background, except where it has one.
func (l Line) On(b Back) Line {
	out := make(Line, len(l))
	for i, s := range l {
		if s.Back == OnNothing {
			s.Back = b
		}
		out[i] = s
	}
	return out
}

// Over is On for a whole row of that width: what fills it up lies on the background, too.
func (l Line) Over(t *Theme, b Back, width int) Line {
	if n := l.Width(t); n < width {
		l = append(l[:len(l):len(l)], Gap(width-n))
	}
	return l.Fit(t, width).On(b)
}

// Fit returns the line in exactly that many columns: cut, with an ellipsis, or filled up. What fills
// it up lies on the last span's background.
func (l Line) Fit(t *Theme, width int) Line {
	n := 0
	for i, s := range l {
		w := t.Width(s.Text)
		if n+w > width {
			return l.cutAt(t, i, width-n)
		}
		n += w
	}
	if n == width {
		return l
	}
	fill := Span{Text: spaces(width - n)}
	if len(l) > 0 {
		fill.Back = l[len(l)-1].Back
	}
	return append(l[:len(l):len(l)], fill)
}

// cutAt cuts the line within span i, which has room columns.
func (l Line) cutAt(t *Theme, i, room int) Line {
	out := append(Line(nil), l[:i+1]...)
	s := &out[i]
	if room > 0 {
		s.Text = t.Cut(s.Text, room)
		if gap := room - t.Width(s.Text); gap > 0 { // a wide character did not fit
			s.Text += spaces(gap)
		}
		return out
	}
	// The span before fills the line, so its end becomes the ellipsis.
	out = out[:i]
	if i == 0 {
		return out
	}
	last := &out[i-1]
	w := t.Width(last.Text)
	if w > 0 {
		last.Text = t.Cut(last.Text+"xx", w)
		last.Text += spaces(w - t.Width(last.Text))
	}
	return out
}

// Row returns a line of exactly width columns: left, and right flush at the end as far as there is space
// beside it.
func Row(t *Theme, width int, left, right Line) Line {
	w := right.Width(t)
	if len(right) == 0 || w+2 > width {
		return left.Fit(t, width)
	}
	return append(left.Fit(t, width-w-1), append(Line{{Text: " "}}, right...)...)
}

// Beside joins columns of lines; widths are those of the columns, and after each but the last comes
// what between has for the line.
func Beside(t *Theme, height int, between []([]Span), columns [][]Line, widths []int) []Line {
	out := make([]Line, height)
	for y := range out {
		var line Line
		for i, lines := range columns {
			if i > 0 {
				line = append(line, between[i-1][y])
			}
			var part Line
			if y < len(lines) {
				part = lines[y]
			}
			line = append(line, part.Fit(t, widths[i])...)
		}
		out[y] = line
	}
	return out
}

// Block returns exactly height lines: cut at the end, or filled up.
func Block(lines []Line, height int) []Line {
	if len(lines) >= height {
		return lines[:max(height, 0)]
	}
	return append(lines[:len(lines):len(lines)], make([]Line, height-len(lines))...)
}

const blanks = "                                                                                                                                "

func spaces(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blanks) {
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// Gap returns n spaces.
func Gap(n int) Span { return Span{Text: spaces(n)} }
