package panes

import (
	"entire/internal/cli/tui/paint"
)

// View returns the lines of the panel.
func (t *Timeline) View(s Screen) []paint.Line {
	switch {
	case t.problem != "":
		return notice(s, t.problem, paint.Bad)
	case t.list.read && t.list.known == 0:
		return t.nothing(s)
	}
	var head []paint.Line
	if t.columns() == 1 {
		head = []paint.Line{tabLine(s, t.tabs(), t.part)}
		s.H--
	}
	widths := t.widths()
	var columns [][]paint.Line
	var where []position
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
	return append(head, columnsOf(s, columns, widths, where)...)
}

// Where says where in the past the cursor is.
func (t *Timeline) Where() string { return t.list.where() }

func (t *Timeline) tabs() []string { return []string{"Points", "Said", "Changes"} }

// viewPart returns the lines of one part, and which part of all of its lines they are.
func (t *Timeline) viewPart(s Screen, part int) ([]paint.Line, position) {
	if part == listPart {
		rows, _ := t.list.rows(s)
		return rows, position{t.list.top, s.H, t.list.known}
	}
	doc := t.docOf(part)
	if doc == nil {
		return []paint.Line{paint.L(paint.Span{Text: s.Ellipsis, Role: paint.Faint})}, position{}
	}
	if doc.Len() == 0 {
		return []paint.Line{paint.L(paint.Span{Text: "No file has changed.", Role: paint.Faint})}, position{}
	}
	return doc.View(t.scroll[part], s.H), position{t.scroll[part], s.H, doc.Len()}
}

// nothing says what to do where there is no past.
func (t *Timeline) nothing(s Screen) []paint.Line {
	if !t.ask.Source.Place().SetUp {
		return notice(s, "Nothing is recorded here yet. `entire enable` sets it up.", paint.Plain)
	}
	return notice(s, "Nothing is recorded here yet. Points appear when an agent's turn has changed files.", paint.Plain)
}

// notice returns a text in the middle of the panel.
func notice(s Screen, text string, role paint.Role) []paint.Line {
	lines := paint.L(paint.Say(role, text)).Wrap(s.Theme, max(s.W-4, 8))
	out := make([]paint.Line, max(s.H/3-len(lines)/2, 0))
	for _, l := range lines {
		out = append(out, append(paint.L(paint.Gap(max((s.W-l.Width(s.Theme))/2, 0))), l...))
	}
	return paint.Block(out, s.H)
}

// tabLine returns the names of the parts, of which one is shown.
func tabLine(s Screen, names []string, at int) paint.Line {
	var line paint.Line
	for i, name := range names {
		role := paint.Faint
		if i == at {
			role = paint.Title
		}
		line = append(line, paint.Gap(1), paint.Span{Text: name, Role: role}, paint.Gap(1))
	}
	return line.Fit(s.Theme, s.W)
}

// tabAt returns the tab in a column of tabLine, else before.
func tabAt(names []string, x, before int) int {
	for i, name := range names {
		if n := len(name) + 2; x < n {
			return i
		} else {
			x -= n
		}
	}
	return before
}
