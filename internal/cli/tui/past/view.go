package past

import (
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
)

// View returns the lines of the panel.
func (t *Timeline) View(s pane.Screen) []paint.Line {
	switch {
	case t.problem != "":
		return pane.Notice(s, t.problem, paint.Bad)
	case t.list.Read && t.list.Known == 0:
		return t.nothing(s)
	}
	var head []paint.Line
	if t.columns() == 1 {
		head = []paint.Line{pane.TabLine(s, t.tabs(), t.part)}
		s.H--
	}
	widths := t.widths()
	var columns [][]paint.Line
	var where []pane.Position
	for i, part := range t.shownParts() {
		inner := s
		inner.W = widths[i]
		if i == len(widths)-1 {
			inner.W-- // the column that shows where one is
		}
		inner.Focus = s.Focus && part == t.focused()
		lines, at := t.viewPart(inner, part)
		columns, where = append(columns, lines), append(where, at)
	}
	return append(head, pane.Columns(s, columns, widths, where)...)
}

// Where says where in the past the cursor is.
func (t *Timeline) Where() string { return t.list.where() }

func (t *Timeline) tabs() []string { return []string{"Points", "Said", "Changes"} }

// viewPart returns the lines of one part, and which part of all of its lines they are.
func (t *Timeline) viewPart(s pane.Screen, part int) ([]paint.Line, pane.Position) {
	if part == listPart {
		rows, _ := t.list.rows(s)
		return rows, pane.At(t.list.top, s.H, t.list.Known)
	}
	doc := t.docOf(part)
	if doc == nil {
		return []paint.Line{paint.L(paint.Span{Text: s.Ellipsis, Role: paint.Faint})}, pane.Position{}
	}
	if doc.Len() == 0 {
		return []paint.Line{paint.L(paint.Span{Text: "No file has changed.", Role: paint.Faint})}, pane.Position{}
	}
	return doc.View(t.scroll[part], s.H), pane.At(t.scroll[part], s.H, doc.Len())
}

// nothing says what to do where there is no past.
func (t *Timeline) nothing(s pane.Screen) []paint.Line {
	if !t.ask.Source.Place().SetUp {
		return pane.Notice(s, "Nothing is recorded here yet. `entire enable` sets it up.", paint.Plain)
	}
	return pane.Notice(s, "Nothing is recorded here yet. Points appear when an agent's turn has changed files.", paint.Plain)
}
