package files

import (
	"strings"

	"entire/internal/cli/tui/pane"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/tui/paint"
	"entire/internal/lineage"
	"entire/internal/patch"
)

// view returns the lines of the file with their owners.
func (b *blame) view(s pane.Screen) ([]paint.Line, pane.Position) {
	switch {
	case b.problem != "":
		return pane.Notice(s, b.problem, paint.Bad), pane.Position{}
	case !b.known:
		return pane.Notice(s, "Looking for the owners"+s.Ellipsis, paint.Faint), pane.Position{}
	case b.binary:
		return pane.Notice(s, "A binary file has no lines.", paint.Plain), pane.Position{}
	case len(b.lines) == 0:
		return pane.Notice(s, "An empty file.", paint.Plain), pane.Position{}
	}
	out := []paint.Line{b.title(s)}
	room := max(s.H-1, 1)
	b.top = max(min(b.top, b.at), b.at-room+1)
	for i := b.top; i < min(b.top+room, len(b.lines)); i++ {
		out = append(out, b.row(s, i))
	}
	return out, pane.At(b.top, room, len(b.lines))
}

// title names the file, and says how much of it agents wrote.
func (b *blame) title(s pane.Screen) paint.Line {
	agents, unknown := 0, 0
	for _, l := range b.lines {
		switch {
		case l.Agent():
			agents++
		case ownerlib.OwnerText(l.Origin) == "?":
			unknown++
		}
	}
	name := paint.L(s.File(paint.Strong, b.path))
	if b.rev != "" {
		name = append(name, paint.Say(paint.Faint, "  at "+shortRev(b.rev)))
	}
	share := paint.L(paint.Span{Text: pane.Itoa(100*agents/len(b.lines)) + " % by agents", Role: paint.Accent})
	if unknown > 0 {
		share = append(share, paint.Span{Text: ", " + pane.Itoa(100*unknown/len(b.lines)) + " % unknown", Role: paint.Faint})
	}
	return paint.Row(s.Theme, s.W, name, share)
}

// ownerWidth is the width of the owner's name on a panel of that width.
func ownerWidth(width int) int {
	switch {
	case width < 50:
		return 0
	case width < 80:
		return 16
	}
	return 22
}

// row returns a line of the file: its owner, where that differs from the line above, its number and text.
func (b *blame) row(s pane.Screen, i int) paint.Line {
	l := b.lines[i]
	bar, role := s.Owner, paint.LaneRole(b.lanes[l.Owner.SessionID])
	if !l.Agent() {
		bar, role = " ", paint.Faint
		if ownerlib.OwnerText(l.Origin) == "?" {
			bar = "?"
		}
	}
	line := paint.L(paint.Span{Text: bar, Role: role}, paint.Gap(1))
	if n := ownerWidth(s.W); n > 0 {
		owner, age := "", ""
		if i == 0 || i == b.top || i == b.at || !ownerlib.SameOrigin(b.lines[i-1], l) {
			owner, age = ownerShort(l), "now"
			if !l.Commit.IsZero() {
				age = cliui.ShortAge(s.Now.Sub(l.Time), l.Time)
			}
		}
		line = append(line, paint.Say(role, s.Pad(owner, n)), paint.Say(paint.Faint, s.PadLeft(age, 5)), paint.Gap(1))
	}
	line = append(line, paint.Span{Text: s.PadLeft(pane.Itoa(l.Number), len(pane.Itoa(len(b.lines)))) + " ", Role: paint.Faint})
	for _, t := range b.tokens(i) {
		line = append(line, pane.CodeSpan(t))
	}
	if i != b.at {
		return line
	}
	return s.Chosen(line)
}

// ownerShort names an owner in few words: the agent and its turn, or the person.
func ownerShort(l lineage.Line) string {
	text := ownerlib.OwnerText(l.Origin)
	switch {
	case l.Agent() && l.Owner.Turn > 0:
		return text + " #" + pane.Itoa(l.Owner.Turn)
	case !l.Agent() && l.Author != "":
		return l.Author
	}
	return text
}

func (b *blame) tokens(i int) []patch.Token {
	if i < len(b.rows) {
		return b.rows[i]
	}
	return []patch.Token{{Text: b.lines[i].Text}}
}

func (b *blame) scrollWhy(n int) { b.scroll = max(0, b.scroll+min(n, 1<<20)) }

// viewWhy returns why the line under the cursor is as it is.
func (b *blame) viewWhy(s pane.Screen) ([]paint.Line, pane.Position) {
	switch {
	case b.reason != "":
		return pane.Notice(s, b.reason, paint.Bad), pane.Position{}
	case b.why == nil:
		return pane.Notice(s, "Looking for the reason"+s.Ellipsis, paint.Faint), pane.Position{}
	}
	doc := &pane.Doc{}
	addWhy(doc, s, b.why)
	b.scroll = doc.Scrolled(b.scroll, 0, s.H)
	return doc.View(b.scroll, s.H), pane.At(b.scroll, s.H, doc.Len())
}

// addWhy appends how a line came to be: prompt, thought, call, diff, commit.
func addWhy(doc *pane.Doc, s pane.Screen, w *ownerlib.Why) {
	doc.Add(paint.L(paint.Say(paint.Strong, w.File+":"+pane.Itoa(w.Line))), paint.L(paint.Say(paint.Code, strings.TrimSpace(w.Text))))
	doc.Add(nil)
	doc.Add(pane.Pair(s, "Written by", w.Writer())...)
	doc.Add(pane.Pair(s, "Known from", ownerlib.EvidenceText(w.Found.Evidence, w.Class))...)
	if !w.Found.Commit.IsZero() {
		doc.Add(pane.Pair(s, "Commit", cliui.ShortID(w.Commit)+"  "+w.CommitSubject)...)
	}
	if prompt := w.Prompt; prompt != "" {
		doc.Add(nil, pane.Section(s, "Asked", nil))
		if how := ownerlib.HowText(w.How); how != "" {
			doc.Add(paint.L(paint.Say(paint.Faint, how)).Wrap(s.Theme, s.W)...)
		}
		doc.Add(pane.Quoted(s, prompt, paint.Plain)...)
	}
	for i, prompt := range w.Prompts {
		if i == 0 {
			doc.Add(nil, pane.Section(s, "One of these prompts asked for it", nil))
		}
		doc.Add(pane.Quoted(s, prompt, paint.Plain)...)
	}
	if w.Task != "" {
		doc.Add(nil, pane.Section(s, "Task of the subagent", nil))
		doc.Add(pane.Quoted(s, w.Task, paint.Plain)...)
	}
	addPassages(doc, s, "Before it", w.Before)
	addCall(doc, s, w)
	addPassages(doc, s, "After it", w.After)
	for _, problem := range w.Problems {
		doc.Add(nil)
		doc.Add(paint.L(paint.Say(paint.Warn, pane.Capital(problem))).Wrap(s.Theme, s.W)...)
	}
}
