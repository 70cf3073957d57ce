package search

import (
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/searchlib"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
)

const (
	headLines = 2 // above the hits
	hitLines  = 3
)

func (s *Search) wide() bool { return s.w >= 96 }

func (s *Search) listWidth() int {
	if s.wide() {
		return s.w * 46 / 100
	}
	return s.w
}

func (s *Search) nearWidth() int { return s.w - s.listWidth() - pane.Gutter }

func (s *Search) nearHeight() int { return max(s.h, 1) }

// View returns the lines of the panel.
func (s *Search) View(sc pane.Screen) []paint.Line {
	list := sc
	list.W = s.listWidth()
	if !s.wide() {
		list.W--
	}
	lines, where := s.viewHits(list)
	if !s.wide() {
		return pane.Columns(sc, [][]paint.Line{lines}, []int{sc.W}, []pane.Position{where})
	}
	var near []paint.Line
	at := pane.Position{}
	if s.near != nil {
		near, at = s.near.View(s.scroll, sc.H), pane.At(s.scroll, sc.H, s.near.Len())
	}
	return pane.Columns(sc, [][]paint.Line{lines, near}, []int{list.W, s.nearWidth()}, []pane.Position{where, at})
}

// viewHits returns what is typed, and the hits.
func (s *Search) viewHits(sc pane.Screen) ([]paint.Line, pane.Position) {
	out := []paint.Line{append(paint.L(paint.Span{Text: "/", Role: paint.Title}), pane.InputLine(s.input)...), s.state(sc)}
	fit := max((sc.H-headLines)/hitLines, 1)
	if s.answer == nil || s.problem != "" {
		return out, pane.Position{}
	}
	s.top = max(min(s.top, s.at), s.at-fit+1)
	for i := s.top; i < min(s.top+fit, len(s.answer.Hits)); i++ {
		rows := s.row(sc, s.answer.Hits[i], i == s.at)
		out = append(out, rows...)
	}
	return out, pane.At(s.top, fit, len(s.answer.Hits))
}

// state says how many hits there are, or what is wrong with the query.
func (s *Search) state(sc pane.Screen) paint.Line {
	say := func(role paint.Role, text string) paint.Line { return paint.L(paint.Say(role, text)) }
	switch {
	case s.problem != "":
		return say(paint.Warn, s.problem)
	case tooShort(s.input.Value()):
		return say(paint.Faint, "Type what was said, asked or done: three letters or more.")
	case s.answer == nil:
		return say(paint.Faint, "Looking"+sc.Ellipsis)
	}
	words := cliui.Count(len(s.answer.Hits), "hit")
	if s.answer.Matches > len(s.answer.Hits) {
		words += " of " + pane.Itoa(s.answer.Matches)
	}
	if len(s.answer.Hits) == 0 {
		words = "Nothing found"
	}
	if s.indexing {
		words += "; the index is being brought up to date" + sc.Ellipsis
	}
	keys := pane.KeyLine("tab", "its point in time", "enter", "its conversation")
	if len(s.answer.Hits) == 0 || len(words)+2+keys.Width(sc.Theme) > sc.W {
		return say(paint.Faint, words)
	}
	return paint.Row(sc.Theme, sc.W, say(paint.Faint, words), keys)
}

// row returns the lines of a hit: where it is, and its text with the matches marked.
func (s *Search) row(sc pane.Screen, h searchlib.Hit, cursor bool) []paint.Line {
	mark := " "
	if cursor {
		mark = sc.Cursor
	}
	who := h.Role
	if h.Kind != "message" {
		who = h.Kind
	}
	title := h.Title
	if title == "" {
		title = "(no title)"
	}
	left := paint.L(paint.Span{Text: mark + " ", Role: paint.Accent}, paint.Say(paint.Accent, who), paint.Gap(1), paint.Say(paint.Strong, cliui.ShortLine(title, cliui.PromptRunes)))
	switch {
	case h.Failed:
		left = append(left, paint.Span{Text: "  failed", Role: paint.Bad})
	case h.Rewound:
		left = append(left, paint.Span{Text: "  rewound", Role: paint.Warn})
	}
	age := ""
	if !h.Time.IsZero() {
		age = cliui.ShortAge(sc.Now.Sub(h.Time), h.Time)
	}
	rows := []paint.Line{paint.Row(sc.Theme, sc.W, left, paint.L(paint.Span{Text: age, Role: paint.Faint}))}
	text := snippet(h).Wrap(sc.Theme, max(sc.W-2, 8))
	for i := range hitLines - 1 {
		var line paint.Line
		if i < len(text) {
			line = append(paint.L(paint.Gap(2)), text[i]...)
		}
		rows = append(rows, line)
	}
	for i := range rows {
		if cursor {
			rows[i] = rows[i].Over(sc.Theme, paint.OnCursor, sc.W)
		}
	}
	return rows
}

// snippet returns the text of a hit with its matches marked.
func snippet(h searchlib.Hit) paint.Line {
	var line paint.Line
	at := 0
	say := func(text string, back paint.Back) {
		span := paint.Say(paint.Faint, strings.ReplaceAll(text, "\n", " "))
		if span.Back = back; back != paint.OnNothing {
			span.Role = paint.Strong
		}
		if span.Text != "" {
			line = append(line, span)
		}
	}
	for _, m := range h.Marks {
		if m[0] < at || m[1] > len(h.Snippet) || m[0] > m[1] {
			continue
		}
		say(h.Snippet[at:m[0]], paint.OnNothing)
		say(h.Snippet[m[0]:m[1]], paint.OnMatch)
		at = m[1]
	}
	say(h.Snippet[at:], paint.OnNothing)
	return line
}

// Where says which hit is under the cursor.
func (s *Search) Where() string {
	if s.answer == nil {
		return ""
	}
	return pane.Count(s.at+1, len(s.answer.Hits), s.answer.More)
}
