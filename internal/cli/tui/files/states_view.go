package files

import (
	"slices"
	"strings"

	"entire/internal/cli/tui/pane"

	"entire/internal/cli/cliui"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
)

// view returns the slider and the state under the cursor.
func (st *states) view(s pane.Screen) ([]paint.Line, pane.Position) {
	switch {
	case st.problem != "":
		return pane.Notice(s, st.problem, paint.Bad), pane.Position{}
	case !st.known:
		return pane.Notice(s, "Looking for the states"+s.Ellipsis, paint.Faint), pane.Position{}
	case st.count() == 0:
		return pane.Notice(s, "No point of the past has this file.", paint.Plain), pane.Position{}
	}
	head := []paint.Line{st.slider(s), st.title(s)}
	inner := s
	inner.H = max(s.H-len(head), 1)
	t := st.text()
	switch {
	case t == nil:
		return append(head, paint.L(paint.Span{Text: s.Ellipsis, Role: paint.Faint})), pane.Position{}
	case t.err != nil:
		return append(head, pane.Notice(inner, pane.Capital(facts.Words(t.err)), paint.Bad)...), pane.Position{}
	}
	doc := &pane.Doc{}
	st.add(doc, inner, t)
	top := doc.Scrolled(st.scroll, 0, inner.H)
	return append(head, doc.View(top, inner.H)...), pane.At(top, inner.H, doc.Len())
}

// add appends what is shown of a state.
func (st *states) add(doc *pane.Doc, s pane.Screen, t *stateText) {
	switch {
	case st.diffing:
		pane.AddDiff(doc, s, &t.diff)
		if len(t.diff.Files) == 0 || st.path != wholeTree && len(t.diff.Files[0].Hunks) == 0 {
			doc.Add(paint.L(paint.Span{Text: "Nothing differs between A and B.", Role: paint.Faint}))
		}
	case t.details != nil:
		doc.Add(pane.ChangeList(s, t.details.Changes, pane.ChangesShown)...)
		doc.Add(nil)
		pane.AddDiff(doc, s, &t.diff)
	default:
		addText(doc, s, &t.diff)
	}
}

// addText appends a file's whole text, with what changed in it marked.
func addText(doc *pane.Doc, s pane.Screen, d *pane.DiffText) {
	for i, f := range d.Files {
		if f.Binary {
			doc.Add(paint.L(paint.Span{Text: "A binary file.", Role: paint.Faint}))
		}
		for h, hunk := range f.Hunks {
			digits := pane.Digits(hunk)
			doc.Lazy(len(hunk.Lines), func(k int) paint.Line { return pane.DiffLine(s, hunk.Lines[k], d.Colour(i, h, k), digits) })
		}
		if len(f.Hunks) == 0 && !f.Binary {
			doc.Add(paint.L(paint.Span{Text: "An empty file.", Role: paint.Faint}))
		}
	}
}

// slider shows where between the oldest and the newest state the cursor, A and B are.
func (st *states) slider(s pane.Screen) paint.Line {
	n := st.count()
	room := max(s.W-4, 5)
	column := func(i int) int { // the newest is at the right
		if n < 2 {
			return room - 1
		}
		return (n - 1 - i) * (room - 1) / (n - 1)
	}
	cells := make([]paint.Span, room)
	for i := range cells {
		cells[i] = paint.Span{Text: s.Rule, Role: paint.Faint}
	}
	if n <= room/2 {
		for i := range n {
			cells[column(i)] = paint.Span{Text: s.Auto, Role: paint.Plain}
		}
	}
	cells[column(st.at)] = paint.Span{Text: s.Turn, Role: paint.Accent}
	for k, i := range st.marks {
		cells[column(i)] = paint.Span{Text: string(rune('A' + k)), Role: paint.Strong, Back: paint.OnMark}
	}
	older, newer := paint.Faint, paint.Faint
	if st.at < n-1 || st.hasMore() {
		older = paint.Key
	}
	if st.at > 0 {
		newer = paint.Key
	}
	line := paint.L(paint.Span{Text: s.Older + " ", Role: older})
	return append(append(line, cells...), paint.Span{Text: " " + s.Newer, Role: newer})
}

func (st *states) hasMore() bool { return st.more || st.path == wholeTree && st.tree.More }

// title says which state is shown.
func (st *states) title(s pane.Screen) paint.Line {
	if st.diffing {
		from, _ := st.point(max(st.marks[0], st.marks[1]))
		to, _ := st.point(min(st.marks[0], st.marks[1]))
		words := "A to B: "
		if st.marks[0] < st.marks[1] {
			words = "B to A: "
		}
		words += cliui.ShortID(from.ID) + " to " + cliui.ShortID(to.ID)
		return paint.L(paint.Say(paint.Strong, words), paint.Span{Text: "   d back to the states", Role: paint.Faint})
	}
	p, ok := st.point(st.at)
	if !ok {
		return paint.L(paint.Span{Text: s.Ellipsis, Role: paint.Faint})
	}
	title, role := pane.TitleOf(p)
	if role == paint.Plain {
		role = paint.Strong
	}
	line := paint.L(paint.Span{Text: pane.KindGlyph(s, p.Kind) + " ", Role: paint.LaneRole(p.Lane)}, paint.Span{Text: p.When.In(s.Zone).Format("Mon 2 Jan 15:04"), Role: paint.Faint},
		paint.Gap(2), paint.Say(role, strings.TrimSpace(title)))
	if st.path != wholeTree && st.list[st.at].Gone {
		line = append(line, paint.Span{Text: "  no such file", Role: paint.Bad})
	}
	if k := slices.Index(st.marks, st.at); k >= 0 {
		line = append(line, paint.Gap(1), paint.Span{Text: string(rune('A' + k)), Role: paint.Strong, Back: paint.OnMark})
	}
	return paint.Row(s.Theme, s.W, line, paint.L(paint.Span{Text: st.where(), Role: paint.Faint}))
}

func (st *states) where() string { return pane.Count(st.count()-st.at, st.count(), st.hasMore()) }
