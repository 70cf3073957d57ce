package files

import (
	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
	"entire/internal/cli/tui/prose"
)

// addPassages appends what an agent thought and said around a call.
func addPassages(doc *pane.Doc, s pane.Screen, title string, passages []ownerlib.Passage) {
	if len(passages) == 0 {
		return
	}
	doc.Mark()
	doc.Add(nil, pane.Section(s, title, nil))
	for _, p := range passages {
		if p.Kind == "thought" {
			doc.Add(paint.L(paint.Say(paint.Faint, pane.FirstWords(p.Text))).Wrap(s.Theme, s.W)...)
			continue
		}
		doc.Add(prose.Lines(s.Theme, p.Text, s.W, pane.CodeLines)...)
	}
}

// addCall appends the call that wrote a line, its diff and its result.
func addCall(doc *pane.Doc, s pane.Screen, w *ownerlib.Why) {
	if w.Call == nil {
		return
	}
	doc.Mark()
	doc.Add(nil, pane.Section(s, "The call", paint.L(paint.Say(paint.Faint, w.Call.Model))))
	about := w.Call.Tool
	if w.Call.About != "" {
		about += ": " + s.Inside(w.Call.About)
	}
	doc.Add(paint.L(paint.Say(paint.Plain, about)).Wrap(s.Theme, s.W)...)
	if w.Skipped > 0 {
		doc.Add(paint.L(paint.Span{Text: cliui.Count(w.Skipped, "call") + " between", Role: paint.Faint}))
	}
	for _, l := range w.Diff {
		back, role := paint.OnNothing, paint.Faint
		switch l.Op {
		case '+':
			back, role = paint.OnAdded, paint.Added
		case '-':
			back, role = paint.OnRemoved, paint.Removed
		case '@':
			doc.Add(paint.L(paint.Span{Text: s.Ellipsis, Role: paint.Meta}))
			continue
		}
		line := paint.L(paint.Span{Text: string(l.Op) + " ", Role: role}, paint.Say(paint.Plain, l.Text))
		doc.Add(line.Over(s.Theme, back, s.W))
	}
	if r := w.Result; r != nil {
		role, word := paint.Faint, "returned: "
		if r.Failed {
			role, word = paint.Bad, "failed: "
		}
		doc.Add(append(paint.L(paint.Span{Text: word, Role: role}), paint.Say(paint.Plain, pane.FirstWords(r.Text))).Wrap(s.Theme, s.W)...)
	}
}
