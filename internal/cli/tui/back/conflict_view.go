package back

import (
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
	"entire/internal/patch"
)

// addSides appends both sides of a conflict: what would be undone, and what came later.
func addSides(doc *pane.Doc, s pane.Screen, sides facts.Sides) {
	for _, side := range []struct {
		title string
		side  facts.Side
	}{{"What would be undone", sides.Undone}, {"What came later, and stays", sides.Later}} {
		doc.Mark()
		doc.Add(pane.Section(s, side.title, nil))
		if side.side.File == nil {
			doc.Add(paint.L(paint.Span{Text: "cannot be shown", Role: paint.Faint}), nil)
			continue
		}
		pane.AddDiff(doc, s, &pane.DiffText{Diff: facts.Diff{Files: []patch.File{*side.side.File}}, Colours: map[int][][][]patch.Token{0: side.side.Rows}})
	}
}
