package back

import (
	"cmp"
	"fmt"
	"slices"

	"entire/internal/cli/tui/pane"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/tui/paint"
	"entire/internal/patch"
	"entire/strategy/condense"
	"entire/strategy/rewind"
)

// A sheetRow is a line of the list: a file, a hunk of it, or what is kept.
type sheetRow struct {
	path  string
	hunk  int  // from 1; 0 for the file
	fixed bool // it cannot be chosen
	line  func(pane.Screen) paint.Line
}

// rows returns the rows of the list.
func (s *Sheet) rows() []sheetRow {
	if s.whole == nil {
		return nil
	}
	var out []sheetRow
	for _, c := range s.whole.Conflicts {
		out = append(out, sheetRow{path: c.Path, fixed: true, line: func(pane.Screen) paint.Line {
			return paint.L(paint.Span{Text: "!   ", Role: paint.Warn}, paint.Say(paint.Warn, cliui.ShownName(c.Path)), paint.Span{Text: "  does not merge", Role: paint.Faint})
		}})
	}
	for _, c := range s.whole.Changes {
		out = append(out, sheetRow{path: c.Path, line: func(sc pane.Screen) paint.Line {
			sign, role := pane.ChangeSign(string(c.Action))
			line := paint.L(s.box(c.Path, 0), paint.Span{Text: sign + " ", Role: role}, paint.Say(paint.Plain, cliui.ShownName(c.Path)))
			if c.Merged {
				line = append(line, paint.Span{Text: "  merged", Role: paint.Faint})
			}
			return paint.Row(sc.Theme, sc.W, line, pane.PlusMinus(sc, c.Insertions, c.Deletions))
		}})
		for i, h := range s.hunks(c.Path) {
			out = append(out, sheetRow{path: c.Path, hunk: i + 1, line: func(pane.Screen) paint.Line {
				return paint.L(paint.Gap(2), s.box(c.Path, i+1), paint.Span{Text: fmt.Sprintf("@@ %d,%d ", h.NewFrom, h.NewLines), Role: paint.Meta}, paint.Say(paint.Faint, h.Section))
			}})
		}
	}
	for _, k := range s.whole.Kept {
		out = append(out, sheetRow{path: k.Path, fixed: true, line: func(pane.Screen) paint.Line {
			return paint.L(paint.Span{Text: "=   ", Role: paint.Good}, paint.Say(paint.Plain, cliui.ShownName(k.Path)), paint.Say(paint.Faint, "  kept: "+k.Why))
		}})
	}
	for _, g := range s.whole.Gaps {
		out = append(out, sheetRow{path: g.Path, fixed: true, line: func(pane.Screen) paint.Line {
			return paint.L(paint.Span{Text: "?   ", Role: paint.Warn}, paint.Say(paint.Plain, cliui.ShownName(g.Path)), paint.Say(paint.Faint, "  not captured: "+g.Why))
		}})
	}
	return out
}

// hunks returns the hunks of a file, if it has several that can be chosen.
func (s *Sheet) hunks(path string) []patch.Hunk {
	i := slices.IndexFunc(s.files, func(f patch.File) bool { return f.Path() == path })
	if i < 0 || len(s.files[i].Hunks) < 2 || !s.isRewind() {
		return nil
	}
	return s.files[i].Hunks
}

// box shows whether a file or hunk is chosen.
func (s *Sheet) box(path string, hunk int) paint.Span {
	left := s.left[path]
	text := "[x] "
	switch {
	case !s.isRewind():
		text = "    "
	case hunk > 0 && hunk <= len(left) && left[hunk-1], hunk == 0 && len(left) > 0 && !slices.Contains(left, false):
		text = "[ ] "
	case hunk == 0 && slices.Contains(left, true):
		text = "[-] "
	}
	return paint.Span{Text: text, Role: paint.Accent}
}

// View returns the lines of the sheet.
func (s *Sheet) View(sc pane.Screen) []paint.Line {
	s.h = sc.H
	if sc.W < 96 {
		return s.viewNarrow(sc)
	}
	left := sc
	left.W = max(48, sc.W*42/100)
	right := sc
	right.W = sc.W - left.W - pane.Gutter - 1
	head := append(s.head(left), nil)
	list := left
	list.H = max(sc.H-len(head), 1)
	doc := s.doc(right)
	s.scroll = doc.Scrolled(s.scroll, 0, sc.H)
	return pane.Columns(sc, [][]paint.Line{append(head, s.list(list)...), doc.View(s.scroll, sc.H)}, []int{left.W, right.W + 1},
		[]pane.Position{{}, pane.At(s.scroll, sc.H, doc.Len())})
}

// viewNarrow puts the diff below the list.
func (s *Sheet) viewNarrow(sc pane.Screen) []paint.Line {
	head := s.head(sc)
	list := sc
	list.H = max(1, min(len(s.rows()), (sc.H-len(head))/2))
	out := append(head, s.list(list)...)
	rest := sc.H - len(out) - 1
	if rest < 2 {
		return out
	}
	doc := s.doc(sc)
	s.scroll = doc.Scrolled(s.scroll, 0, rest)
	return append(append(out, nil), doc.View(s.scroll, rest)...)
}

// list returns the rows in view.
func (s *Sheet) list(sc pane.Screen) []paint.Line {
	rows := s.rows()
	s.at = max(0, min(s.at, len(rows)-1))
	s.top = max(min(s.top, s.at), s.at-sc.H+1)
	var out []paint.Line
	for i := s.top; i < min(s.top+sc.H, len(rows)); i++ {
		inner := sc
		inner.W -= 2
		mark := paint.Gap(2)
		if i == s.at {
			mark = paint.Span{Text: sc.Cursor + " ", Role: paint.Accent}
		}
		line := append(paint.L(mark), rows[i].line(inner).Fit(sc.Theme, inner.W)...)
		if i == s.at {
			line = line.On(paint.OnCursor)
		}
		out = append(out, line)
	}
	return out
}

// head says what the sheet is about, what is chosen, and what would happen.
func (s *Sheet) head(sc pane.Screen) []paint.Line {
	out := paint.L(paint.Say(paint.Title, s.title())).Wrap(sc.Theme, sc.W)
	if s.isRewind() {
		out = append(out, s.options(sc)...)
	}
	if s.isRewind() || s.whole != nil && len(s.whole.Conflicts) > 0 {
		out = append(out, option(sc, "x", "Conflicts", conflictWords[s.req.Scope.Conflicts]))
	}
	if sc.H > 14 {
		out = append(out, nil)
	}
	switch {
	case s.problem != "":
		return append(out, paint.L(paint.Say(paint.Bad, s.problem)).Wrap(sc.Theme, sc.W)...)
	case s.doing:
		return append(out, paint.L(paint.Span{Text: "Going back" + sc.Ellipsis, Role: paint.Accent}))
	case s.preview == nil:
		return append(out, paint.L(paint.Span{Text: "Looking what would change" + sc.Ellipsis, Role: paint.Faint}))
	}
	for _, words := range sheetWords(s.preview) {
		out = append(out, paint.L(words).Wrap(sc.Theme, sc.W)...)
	}
	return append(out, pane.KeyLine("enter", s.verb(), "esc", "leave"))
}

func (s *Sheet) title() string {
	switch s.req.Kind {
	case condense.RewindUndo:
		return "Undo " + cmp.Or(s.of, "the last rewind")
	case condense.RewindRedo:
		return "Redo " + cmp.Or(s.of, "the rewind that was undone last")
	}
	title, _ := pane.TitleOf(s.point)
	return "Go back to " + cliui.ShortID(s.point.ID) + ": " + title
}

func (s *Sheet) verb() string {
	switch s.req.Kind {
	case condense.RewindUndo:
		return "undo"
	case condense.RewindRedo:
		return "redo"
	}
	return "go back"
}

var conflictWords = map[condense.ConflictMode]string{
	rewind.ConflictsStop: "stop", rewind.ConflictsKeep: "leave the file", rewind.ConflictsMarkers: "write both sides",
}

// options shows the scope.
func (s *Sheet) options(sc pane.Screen) []paint.Line {
	scope := s.req.Scope
	between := 2
	if sc.W < 44 {
		between = 1
	}
	var whose paint.Line
	for _, o := range []struct {
		kind      condense.ScopeKind
		key, word string
	}{{condense.ScopeAuto, "a", "all"}, {condense.ScopeSession, "s", "session"}, {condense.ScopeTurn, "t", "turn"}, {condense.ScopeTree, "w", "whole tree"}} {
		word := paint.Span{Text: o.word, Role: paint.Faint}
		if o.kind == scope.Kind {
			word = paint.Span{Text: "[" + o.word + "]", Role: paint.Strong, Back: paint.OnMark}
		}
		if len(whose) > 0 {
			whose = append(whose, paint.Gap(between))
		}
		whose = append(whose, paint.Span{Text: o.key, Role: paint.Key}, paint.Gap(1), word)
	}
	mine := "replaced"
	if scope.KeepMine {
		mine = "kept"
	}
	what := "files and conversation"
	switch {
	case scope.SkipConversation || len(s.left) > 0 || scope.Kind == condense.ScopeTurn:
		what = rewindlib.CodeOnlyWords
	case scope.SkipCode:
		what = rewindlib.ConversationOnlyWords
	}
	return []paint.Line{whose, option(sc, "m", "People's changes", mine), option(sc, "c", "What", what)}
}

func option(_ pane.Screen, key, name, value string) paint.Line {
	return paint.L(paint.Span{Text: key, Role: paint.Key}, paint.Span{Text: "  " + name + ": ", Role: paint.Faint}, paint.Span{Text: value, Role: paint.Strong})
}

// sheetWords says what would happen.
func sheetWords(look *rewindlib.Preview) []paint.Span {
	words := cliui.Count(len(look.Changes), "file") + " would change"
	if len(look.Changes) == 0 {
		words = "No file would change"
	}
	if look.Conversation {
		words += ", and the conversation goes back"
	}
	out := []paint.Span{paint.Say(paint.Strong, words+"."), paint.Say(paint.Good, pane.Capital(pane.RiskWords(look)))}
	if n := len(look.Conflicts); n > 0 && look.Scope.Conflicts == rewind.ConflictsStop {
		out = append(out, paint.Say(paint.Warn, "Later changes do not merge in "+cliui.Count(n, "file")+"; x says what to do."))
	}
	for _, warning := range look.Warnings {
		out = append(out, paint.Say(paint.Warn, pane.Capital(warning)))
	}
	return out
}

// doc returns the diff of what is under the cursor: a file, a hunk, or both sides of a conflict.
func (s *Sheet) doc(sc pane.Screen) *pane.Doc {
	doc := &pane.Doc{}
	rows := s.rows()
	if s.at >= len(rows) {
		return doc
	}
	r := rows[s.at]
	if sides, ok := s.sides[r.path]; ok {
		addSides(doc, sc, sides)
		return doc
	}
	for i, f := range s.files {
		if f.Path() != r.path {
			continue
		}
		d := &pane.DiffText{Colours: map[int][][][]patch.Token{}}
		if d.Files = []patch.File{f}; r.hunk > 0 {
			d.Files[0].Hunks = f.Hunks[r.hunk-1 : r.hunk]
		}
		if c := s.colours[i]; len(c) > 0 {
			if r.hunk > 0 {
				c = c[r.hunk-1 : r.hunk]
			}
			d.Colours[0] = c
		}
		pane.AddDiff(doc, sc, d)
	}
	return doc
}

// Command returns the command that does the same.
func (s *Sheet) Command() string {
	if s.preview == nil {
		return ""
	}
	return s.preview.Command
}
