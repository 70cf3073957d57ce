package pane

import (
	"strings"

	"entire/agent/conversation"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/prose"
)

// Section returns the heading of a part.
func Section(s Screen, title string, right paint.Line) paint.Line {
	left := paint.L(paint.Span{Text: title, Role: paint.Title})
	return paint.Row(s.Theme, s.W, left, right)
}

// Quoted returns a text with a bar beside it.
func Quoted(s Screen, text string, role paint.Role) []paint.Line {
	var out []paint.Line
	bar := paint.Span{Text: s.Quote, Role: paint.Accent}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		for _, l := range paint.L(paint.Say(role, strings.TrimRight(line, "\r\n"))).Wrap(s.Theme, max(s.W-2, 8)) {
			out = append(out, append(paint.L(bar, paint.Gap(1)), l...))
		}
	}
	return out
}

// PassageLines returns a passage: texts whole, a call or a result in one line.
func PassageLines(s Screen, p conversation.Passage) []paint.Line {
	indent := ""
	if p.Chain != "" {
		indent = "  "
	}
	inner := s
	inner.W -= len(indent) + 2
	var lines []paint.Line
	switch p.Kind {
	case conversation.ThoughtPassage:
		lines = paint.L(paint.Say(paint.Faint, FirstWords(p.Text))).Wrap(s.Theme, max(inner.W, 8))
	case conversation.TextPassage:
		lines = prose.Lines(s.Theme, p.Text, max(inner.W, 8), CodeLines)
	case conversation.CallPassage:
		return []paint.Line{paint.L(paint.Span{Text: indent + s.Bullet + " ", Role: paint.Accent}, paint.Say(paint.Plain, s.Inside(sessionlib.CallLine(p.Call))))}
	case conversation.ResultPassage:
		if !p.Failed {
			return nil
		}
		return []paint.Line{paint.L(paint.Span{Text: indent + "  failed: ", Role: paint.Bad}, paint.Say(paint.Faint, FirstWords(p.Text)))}
	case conversation.PromptPassage:
		return Quoted(inner, p.Text, paint.Faint)
	}
	out := make([]paint.Line, len(lines))
	for i, l := range lines {
		out[i] = append(paint.L(paint.Span{Text: indent + "  "}), l...)
	}
	return out
}

const wordsMax = 400

// FirstWords returns the beginning of a text in one line.
func FirstWords(text string) string { return cliui.ShortLine(text, wordsMax) }

// Capital returns a text of this program with a capital letter, unless it begins with an ID or a path.
func Capital(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if text == "" || text[0] < 'a' || text[0] > 'z' || strings.ContainsAny(first, "0123456789/.") {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}

// Notice returns a text in the middle of the panel.
func Notice(s Screen, text string, role paint.Role) []paint.Line {
	lines := paint.L(paint.Say(role, text)).Wrap(s.Theme, max(s.W-4, 8))
	out := make([]paint.Line, max(s.H/3-len(lines)/2, 0))
	for _, l := range lines {
		out = append(out, append(paint.L(paint.Gap(max((s.W-l.Width(s.Theme))/2, 0))), l...))
	}
	return paint.Block(out, s.H)
}

// TabLine returns the names of the parts, and marks the one that is shown.
func TabLine(s Screen, names []string, at int) paint.Line {
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

// TabAt returns the tab in a column of TabLine, else before.
func TabAt(names []string, x, before int) int {
	for i, name := range names {
		if n := len(name) + 2; x < n {
			return i
		} else {
			x -= n
		}
	}
	return before
}

// Pair returns a name and a text beside it.
func Pair(s Screen, name, text string) []paint.Line {
	const column = 12
	var out []paint.Line
	for i, l := range paint.L(paint.Say(paint.Plain, text)).Wrap(s.Theme, max(s.W-column, 8)) {
		if i > 0 {
			name = ""
		}
		out = append(out, append(paint.L(paint.Span{Text: s.Pad(name, column), Role: paint.Faint}), l...))
	}
	return out
}

// KeyLine shows keys with what they do.
func KeyLine(pairs ...string) paint.Line {
	var line paint.Line
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			line = append(line, paint.Gap(3))
		}
		line = append(line, paint.Span{Text: pairs[i], Role: paint.Key}, paint.Span{Text: " " + pairs[i+1], Role: paint.Faint})
	}
	return line
}
