package files

import (
	"entire/internal/cli/tui/pane"

	"entire/internal/cli/cliui"
	"entire/internal/cli/tui/paint"
)

// shownParts returns the parts in view and their widths.
func (f *Files) shownParts() (parts, widths []int) {
	why := f.open && !f.scrub && f.blame.asked
	list := min(40, f.w*28/100)
	switch {
	case f.w >= 170 && why:
		rest := f.w - list - 2*pane.Gutter
		return []int{pathsPart, textPart, whyPart}, []int{list, rest * 52 / 100, rest - rest*52/100}
	case f.w >= 96 && why:
		return []int{textPart, whyPart}, []int{f.w * 54 / 100, f.w - f.w*54/100 - pane.Gutter}
	case f.w >= 96:
		return []int{pathsPart, textPart}, []int{list, f.w - list - pane.Gutter}
	}
	return []int{f.part}, []int{f.w}
}

func (f *Files) partAt(x int) int {
	parts, widths := f.shownParts()
	for i, w := range widths {
		if x < w+pane.Gutter || i == len(parts)-1 {
			return parts[i]
		}
		x -= w + pane.Gutter
	}
	return parts[0]
}

func (f *Files) textHeight() int { return max(f.h-2, 1) }

// View returns the lines of the panel.
func (f *Files) View(s pane.Screen) []paint.Line {
	parts, widths := f.shownParts()
	var columns [][]paint.Line
	var where []pane.Position
	for i, part := range parts {
		inner := s
		inner.W = widths[i]
		if i == len(parts)-1 {
			inner.W--
		}
		inner.Focus = s.Focus && part == f.part
		lines, at := f.viewPart(inner, part)
		columns, where = append(columns, lines), append(where, at)
	}
	return pane.Columns(s, columns, widths, where)
}

func (f *Files) viewPart(s pane.Screen, part int) ([]paint.Line, pane.Position) {
	switch {
	case part == pathsPart:
		return f.viewPaths(s)
	case !f.open:
		return pane.Notice(s, "enter opens the file under the cursor", paint.Faint), pane.Position{}
	case f.scrub:
		return f.states.view(s)
	case part == whyPart:
		return f.blame.viewWhy(s)
	}
	return f.blame.view(s)
}

// viewPaths returns the list of files.
func (f *Files) viewPaths(s pane.Screen) ([]paint.Line, pane.Position) {
	head := paint.L(paint.Span{Text: "/", Role: paint.Key}, paint.Span{Text: " finds a file", Role: paint.Faint})
	if f.typing || f.input.Value() != "" {
		head = append(paint.L(paint.Span{Text: "/", Role: paint.Title}), pane.InputLine(f.input)...)
	}
	room := max(s.H-1, 1)
	f.top = max(min(f.top, f.at), f.at-room+1)
	out := []paint.Line{head}
	for i := f.top; i < min(f.top+room, len(f.shown)); i++ {
		out = append(out, f.pathRow(s, i))
	}
	if f.read && len(f.shown) == 0 {
		out = append(out, paint.L(paint.Span{Text: "no file has this in its path", Role: paint.Faint}))
	}
	return out, pane.At(f.top, room, len(f.shown))
}

func (f *Files) pathRow(s pane.Screen, i int) paint.Line {
	mark := "  "
	if i == f.at {
		mark = s.Cursor + " "
	}
	name := paint.Say(paint.Plain, s.CutLeft(cliui.ShownName(f.shown[i]), s.W-2))
	if f.shown[i] == wholeTree {
		name = paint.Span{Text: "the whole tree", Role: paint.Accent}
	}
	if f.open && f.isOpen(f.shown[i]) {
		name.Role = paint.Strong
	}
	row := paint.L(paint.Span{Text: mark, Role: paint.Accent}, name)
	if i != f.at {
		return row
	}
	return s.Chosen(row)
}

func (f *Files) isOpen(path string) bool {
	if f.scrub {
		return f.states.path == path
	}
	return f.blame.path == path
}

// Where says where one is.
func (f *Files) Where() string {
	switch {
	case f.part == pathsPart:
		return pane.Count(f.at+1, len(f.shown), f.more)
	case f.scrub:
		return f.states.where()
	}
	return pane.Count(f.blame.at+1, len(f.blame.lines), false)
}
